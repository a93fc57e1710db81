"""Declarations: the parser's outermost layer, from a whole file to `syntax.File`.

    var g: int;
    procedure main() { g := 1; assert g == 1; }

gives a File with one global and one procedure that has a body.
"""

from __future__ import annotations

from typing import NoReturn

from cleave.frontends.boogie.implementations import separate_free_calls, separate_implementations
from cleave.frontends.boogie.lexer import Source
from cleave.frontends.boogie.statements import StatementParser
from cleave.frontends.boogie.syntax import (
    Axiom,
    Code,
    Constant,
    Datatype,
    File,
    Function,
    Implementation,
    Procedure,
    Signature,
    Specification,
    Type,
    TypeDeclaration,
    Variable,
)

_CIVL = frozenset(("yield", "action", "invariant", "atomic", "left", "right", "both"))


def parse(source: Source) -> File:
    """The declarations of a file, nothing resolved."""
    return Parser(source).file()


class Parser(StatementParser):
    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.free_calls = []
        self._file = File()

    def file(self) -> File:
        while token := self.tokens[self.at]:
            read = _DECLARATIONS.get(token)
            if read is None:
                self._no_declaration(token)
            self.at += 1
            read(self)
        separate_implementations(self._file)
        separate_free_calls(self._file, self.free_calls)
        self._file.trigger_functions = self.trigger_functions
        self._file.written_types = self.types
        return self._file

    def _no_declaration(self, token: str) -> NoReturn:
        if token in _CIVL or (token == "async" and self.tokens[self.at + 1] in ("left", "right", "both", "atomic")):
            message = (
                "Civl's actions, yield invariants and yield procedures are not supported: they are proved by layers"
            )
            raise self.source.unsupported(self.at, message)
        self.fail("a declaration")

    def _pure(self) -> None:
        """``pure procedure`` and ``pure action`` promise to read and write no global variable, as the body shows."""
        if self.tokens[self.at] not in ("procedure", "action"):
            self._no_declaration(self.tokens[self.at])
        is_action = self.tokens[self.at] == "action"
        self.at += 1
        self._procedure()
        if is_action:  # an action is what those do who call it
            signature = self._file.procedures[-1].signature
            signature.attributes = {**signature.attributes, "inline": ["1"]}

    def _prefixed(self) -> None:
        """``revealed function`` and ``hideable axiom``: what a proof may be told to leave out, which none is here."""
        wanted = "function" if self.tokens[self.at - 1] == "revealed" else "axiom"
        self.expect(wanted)
        _DECLARATIONS[wanted](self)

    def _uses(self) -> bool:
        """``uses { axiom ...; }``: axioms that matter only where the declared name does."""
        if not self.accept("uses"):
            return False
        self.expect("{")
        while self.tokens[self.at] in ("axiom", "hideable"):
            self.accept("hideable")
            self.expect("axiom")
            self._axiom()
        self.expect("}")
        return True

    # --- types, constants, variables, axioms ------------------------------------------------------------------------

    def _type(self) -> None:
        is_datatype = "datatype" in self.attributes()
        self.accept("finite")
        self._type_declaration(is_datatype)
        while self.accept(","):
            self._type_declaration(is_datatype)
        self.expect(";")

    def _type_declaration(self, is_datatype: bool) -> None:
        at = self.at
        name = self.name("the name of a type")
        parameters: list[str] = []
        while self.is_name(self.tokens[self.at]):
            parameters.append(self.name())
        synonym: Type | None = self.type() if self.accept("=") else None
        self._file.types.append(TypeDeclaration(at, name, tuple(parameters), synonym, is_datatype))

    def _datatype(self) -> None:
        self.attributes()
        at = self.at
        name = self.name("the name of a data type")
        type_parameters = self.type_parameters()
        self.expect("{")
        constructors = [self._constructor()]
        while self.accept(","):
            constructors.append(self._constructor())
        self.expect("}")
        self.accept(";")
        self._file.datatypes.append(Datatype(at, name, constructors, type_parameters))

    def _constructor(self) -> tuple[str, list[Variable]]:
        self.attributes()
        name = self.name("the name of a constructor")
        fields: list[Variable] = []
        self.expect("(")
        if self.tokens[self.at] != ")":
            fields += self.variables_of_one_type()
            while self.accept(","):
                fields += self.variables_of_one_type()
        self.expect(")")
        return name, fields

    def _constant(self) -> None:
        inferred = "existential" in self.attributes()
        unique = self.accept("unique")
        for variable in self.variables_of_one_type():
            self._file.constants.append(Constant(variable, unique, inferred))
        self._order()
        if not self._uses():
            self.expect(";")

    def _order(self) -> None:
        """``extends unique a, b complete`` only matters to ``<:``, which is refused."""
        if self.accept("extends"):
            while self.tokens[self.at] not in ("complete", ";"):
                self.accept("unique")
                self.name("the name of a constant")
                if not self.accept(","):
                    break
        self.accept("complete")

    def _global(self) -> None:
        self._file.globals += self.variables_with_where()
        self.expect(";")

    def _axiom(self) -> None:
        at = self.at
        self.attributes()
        self._file.axioms.append(Axiom(at, self.expression()))
        self.expect(";")

    # --- functions --------------------------------------------------------------------------------------------------

    def _function(self) -> None:
        attributes = self.attributes()
        at = self.at
        name = self.name("the name of a function")
        type_parameters = self.type_parameters()
        parameters = self._function_parameters()
        if self.accept("returns"):
            self.expect("(")
            result = self._function_parameter()[0].type
            self.expect(")")
        else:
            self.expect(":")
            result = self.type()
        body: Code | None = None
        if self.accept("{"):
            body = self.expression()
            self.expect("}")
            self._uses()
        elif not self._uses():
            self.expect(";")
        self._file.functions.append(Function(at, name, type_parameters, parameters, result, attributes, body))

    def _function_parameters(self) -> list[Variable]:
        self.expect("(")
        found: list[Variable] = []
        if self.tokens[self.at] != ")":
            found += self._function_parameter()
            while self.accept(","):
                found += self._function_parameter()
        self.expect(")")
        return found

    def _function_parameter(self) -> list[Variable]:
        """``x: T``, or just ``T``; also ``x, y: T``, which only the colon after the last name gives away."""
        self.attributes()
        start = self.at
        at = start
        while self.is_name(self.tokens[at]) and self.tokens[at + 1] == ",":
            at += 2
        if self.is_name(self.tokens[at]) and self.tokens[at + 1] == ":":
            return self.variables_of_one_type()
        self.types.append(self.type())
        return [Variable(start, "", self.types[-1])]

    # --- procedures -------------------------------------------------------------------------------------------------

    def _signature(self) -> Signature:
        attributes = self.attributes()
        at = self.at
        name = self.name("the name of a procedure")
        type_parameters = self.type_parameters()
        parameters = self._parameters()
        returns = self._parameters() if self.accept("returns") else []
        return Signature(at, name, type_parameters, parameters, returns, attributes)

    def _parameters(self) -> list[Variable]:
        self.expect("(")
        found = [] if self.tokens[self.at] == ")" else self.variables_with_where()
        self.expect(")")
        return found

    def _procedure(self) -> None:
        procedure = Procedure(self._signature())
        has_body = not self.accept(";")
        while self._specification(procedure):
            self.refuse_measure()
        if has_body:
            self.refuse_measure()
            if self.tokens[self.at] != "{":
                self.fail("';', a specification or a body")
            procedure.body = self.body()
        self._file.procedures.append(procedure)

    def _specification(self, procedure: Procedure) -> bool:
        at = self.at
        free = self.accept("free")
        kind = self.tokens[self.at]
        if kind == "modifies":
            self.at += 1
            self.attributes()
            if self.tokens[self.at] != ";":
                procedure.modifies += self.names("the name of a global variable")
        elif kind in ("requires", "ensures"):
            self.at += 1
            attributes = self.attributes()
            clauses = procedure.requires if kind == "requires" else procedure.ensures
            clauses.append(Specification(at, free, attributes, self.expression()))
        elif free:
            self.fail("'requires', 'ensures' or 'modifies'")
        else:
            return False
        self.expect(";")
        return True

    def _implementation(self) -> None:
        signature = self._signature()
        self._file.implementations.append(Implementation(signature, self.body()))


_DECLARATIONS = {
    "type": Parser._type,
    "datatype": Parser._datatype,
    "const": Parser._constant,
    "var": Parser._global,
    "axiom": Parser._axiom,
    "function": Parser._function,
    "procedure": Parser._procedure,
    "implementation": Parser._implementation,
    "pure": Parser._pure,
    "revealed": Parser._prefixed,
    "hideable": Parser._prefixed,
}
