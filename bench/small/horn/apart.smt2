; Two counters with an odd distance never meet.
(set-logic HORN)
(declare-fun P (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 3)) (P x y))))
(assert (forall ((x Int) (y Int)) (=> (P x y) (P (+ x 1) (+ y 1)))))
(assert (forall ((x Int) (y Int)) (=> (and (P x y) (>= x y)) false)))
(check-sat)
