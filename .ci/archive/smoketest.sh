#!/bin/bash
# Does this archive work here? Verifies one program that is safe and one that is not, in a few seconds.
set -u
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

expect() {  # VERDICT FILE OPTIONS...
  local wanted=$1 file=$2 said
  shift 2
  said=$("$here/cleave" verify "$folder/$file" --quiet --journal none --timelimit 60 "$@" | head -n 1 | cut -d ' ' -f 1)
  if [ "$said" = "$wanted" ]; then echo "ok: $file is $said"; else echo "WRONG: $file is '$said', not $wanted"; failed=1; fi
}

"$here/cleave" --version || failed=1
printf 'CHECK( init(main()), LTL(G ! call(reach_error())) )\n' > "$folder/unreach-call.prp"
cat > "$folder/safe.c" <<'C'
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); if (x > 5 && x < 5) reach_error(); return 0; }
C
cat > "$folder/unsafe.c" <<'C'
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); if (x == 12345) reach_error(); return 0; }
C
expect safe safe.c --spec "$folder/unreach-call.prp" --64
expect unsafe unsafe.c --spec "$folder/unreach-call.prp" --64 --witness "$folder/witness.yml"
[ -s "$folder/witness.yml" ] || { echo "WRONG: no witness was written"; failed=1; }
exit $failed
