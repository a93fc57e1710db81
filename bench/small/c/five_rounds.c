/* Five rounds, and a bound of four that does not suffice. */
int main(void) {
  int sum = 0;
  for (int i = 0; i < 5; i++)
    sum += i;
  return sum;
}
