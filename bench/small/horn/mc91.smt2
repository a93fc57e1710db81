; McCarthy's function is 91 for all numbers up to 101.
(set-logic HORN)
(declare-fun M (Int Int) Bool)
(assert (forall ((n Int) (r Int)) (=> (and (> n 100) (= r (- n 10))) (M n r))))
(assert (forall ((n Int) (m Int) (t Int) (u Int) (r Int))
  (=> (and (<= n 100) (= m (+ n 11)) (M m t) (M t r)) (M n r))))
(assert (forall ((n Int) (r Int)) (=> (and (M n r) (<= n 101) (not (= r 91))) false)))
(check-sat)
