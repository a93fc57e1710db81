/* Commands such as "set 12": words and numbers of a line, more of them than there is room for. */
#include <assert.h>

extern char __VERIFIER_nondet_char(void);

#define LINE 10
#define WORDS 3

struct word {
  int begin, end;
};

static int is_space(char c) { return c == ' ' || c == '\t'; }
static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int split(const char *line, struct word *words) {
  int count = 0, i = 0;
  while (line[i]) {
    while (is_space(line[i]))
      i++;
    if (!line[i])
      break;
    if (count > WORDS)
      return -1;
    words[count].begin = i;
    while (line[i] && !is_space(line[i]))
      i++;
    words[count].end = i;
    count++;
  }
  return count;
}

static int number(const char *line, const struct word *word, unsigned *value) {
  unsigned result = 0;
  if (word->end - word->begin > 4)
    return 0;
  for (int i = word->begin; i < word->end; i++) {
    if (!is_digit(line[i]))
      return 0;
    result = result * 10 + (unsigned)(line[i] - '0');
  }
  *value = result;
  return 1;
}

int main(void) {
  char line[LINE + 1];
  struct word words[WORDS];
  for (int i = 0; i < LINE; i++)
    line[i] = __VERIFIER_nondet_char();
  line[LINE] = 0;
  int count = split(line, words);
  assert(count >= -1 && count <= WORDS);
  for (int i = 0; i < count; i++) {
    unsigned value;
    assert(words[i].begin < words[i].end && words[i].end <= LINE);
    assert(i == 0 || words[i].begin > words[i - 1].end);
    if (number(line, &words[i], &value))
      assert(value <= 9999);
  }
  return 0;
}
