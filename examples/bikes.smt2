; A village has two bike stations and three bikes. A bike can be taken where there is one, and brought back to either
; station, which has four docks. Bikes are lent for ever: no bound on the number of rides will do.
;
; Can somebody come to a station with a bike and find no free dock? No: the bikes at the stations and those on the road
; are three together, and a station has four docks. That, or something weaker, is the invariant to be found:
;
;   cleave verify examples/bikes.smt2 --invariant invariant.smt2
(set-logic HORN)
(set-info :status sat)

; how many bikes are at the market, at the harbour, and on the road
(declare-fun bikes (Int Int Int) Bool)

; on the first morning
(assert (forall ((market Int) (harbour Int) (road Int))
  (=> (and (= market 2) (= harbour 1) (= road 0)) (bikes market harbour road))))

; a bike is taken at the market, or at the harbour
(assert (forall ((market Int) (harbour Int) (road Int))
  (=> (and (bikes market harbour road) (> market 0)) (bikes (- market 1) harbour (+ road 1)))))
(assert (forall ((market Int) (harbour Int) (road Int))
  (=> (and (bikes market harbour road) (> harbour 0)) (bikes market (- harbour 1) (+ road 1)))))

; and brought back to one of them
(assert (forall ((market Int) (harbour Int) (road Int))
  (=> (and (bikes market harbour road) (> road 0) (< market 4)) (bikes (+ market 1) harbour (- road 1)))))
(assert (forall ((market Int) (harbour Int) (road Int))
  (=> (and (bikes market harbour road) (> road 0) (< harbour 4)) (bikes market (+ harbour 1) (- road 1)))))

; somebody with a bike stands before a station that is full
(assert (forall ((market Int) (harbour Int) (road Int))
  (=> (and (bikes market harbour road) (> road 0) (or (= market 4) (= harbour 4))) false)))

(check-sat)
