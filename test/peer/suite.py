"""The upstream tests that multiply matrices: what each program is made of, how it is run and what it must say."""
import dataclasses

VERSION = "13.2"  # of Trilinos; the numbers below are those of its tests


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    sources: tuple  # below packages/ of the source tree, as all paths here
    includes: tuple
    tests: dict  # ranks: how many tests there are, all of which pass with Tpetra's own algorithms
    arguments: tuple = ()
    data: tuple = ()  # copied into the folder it runs in
    multiplies: tuple = (1, 4)  # the rank counts on which it makes products
    seconds: int = 300  # the limit of one run


TEUCHOS_MAIN = "teuchos/comm/test/UnitTesting/Teuchos_StandardParallelUnitTestMain.cpp"
REDUCE = "--globally-reduce-test-result"  # a test that fails on any rank has failed
TPETRA, XPETRA, MUELU = "tpetra/core/test", "xpetra/test", "muelu/test/unit_tests"

PROGRAMS = [
    Program("MatrixMatrix_UnitTests", (f"{TPETRA}/MatrixMatrix/MatrixMatrix_UnitTests.cpp", TEUCHOS_MAIN), (TPETRA,),
            {1: 11, 4: 11}, ("--matnames-file=matrixsystems.xml", REDUCE),
            (f"{TPETRA}/MatrixMatrix/matrixsystems.xml", f"{TPETRA}/MatrixMatrix/matrices")),
    Program("FECrs_MatrixMatrix_UnitTests", (f"{TPETRA}/MatrixMatrix/FECrs_MatrixMatrix_UnitTests.cpp", TEUCHOS_MAIN),
            (TPETRA,), {1: 1, 4: 1}, (REDUCE,)),
    Program("ImportExport2_UnitTests", (f"{TPETRA}/ImportExport2/ImportExport2_UnitTests.cpp", TEUCHOS_MAIN),
            (TPETRA,), {1: 12, 4: 12}, (REDUCE,)),
    Program("Xpetra_MatrixMatrix_UnitTests",
            (f"{XPETRA}/MatrixMatrix/MatrixMatrix_UnitTests.cpp", f"{XPETRA}/Xpetra_UnitTests.cpp"), (XPETRA,),
            {1: 1, 4: 1}, (REDUCE,),
            tuple(f"{XPETRA}/MatrixMatrix/{name}.mat" for name in ("A", "B", "AB", "AtB", "ABt", "AtBt"))),
    Program("MueLu_RAP_UnitTests",
            tuple(f"{MUELU}/{name}.cpp" for name in (
                "RAPFactory", "SaPFactory", "RAPShiftFactory", "PgPFactory", "GenericRFactory", "MueLu_TestHelpers",
                "MueLu_UnitTests")), (MUELU,), {1: 25, 4: 25}, ("--linAlgebra=Tpetra", REDUCE)),
    Program("ParameterListInterpreter",
            ("muelu/test/interface/ParameterListInterpreter.cpp", f"{MUELU}/MueLu_TestHelpers.cpp"), (MUELU,),
            {1: 93, 4: 27}, ("--linAlgebra=Tpetra", "--kokkos-threads=1"),
            ("muelu/test/interface/default", "muelu/test/interface/kokkos"), seconds=900),
]
