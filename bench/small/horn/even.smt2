; Steps of two from zero: all numbers are even and none is 7.
(set-logic HORN)
(declare-fun Inv (Int) Bool)
(assert (forall ((x Int)) (=> (= x 0) (Inv x))))
(assert (forall ((x Int) (y Int)) (=> (and (Inv x) (= y (+ x 2))) (Inv y))))
(assert (forall ((x Int)) (=> (and (Inv x) (= x 7)) false)))
(check-sat)
