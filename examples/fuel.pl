% A car starts with 40 litres. It burns one litre a round and fills up to 40 when it has less than 5.
% cleave verify examples/fuel.pl
car(L) :- L = 40.
car(L - 1) :- car(L), L >= 5.
car(40) :- car(L), L < 5.
false :- car(L), L < 0.
