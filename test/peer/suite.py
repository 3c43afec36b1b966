"""The upstream tests that multiply matrices: what each program is made of, how it is run and what it must say."""
import dataclasses

VERSION = "13.2.0"  # of Trilinos; the numbers below are those of its tests
FUNCTIONS = ("Multiply", "Jacobi", "MultiplyRAP")
TEUCHOS_MAIN = "teuchos/comm/test/UnitTesting/Teuchos_StandardParallelUnitTestMain.cpp"
REDUCE = "--globally-reduce-test-result"  # a test that fails on any rank has failed
TPETRA, XPETRA, MUELU, INTERFACE = "tpetra/core/test", "xpetra/test", "muelu/test/unit_tests", "muelu/test/interface"


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    include: str  # below packages/ of the source tree, as all paths here
    sources: tuple
    runs: dict  # ranks: (tests, all of which pass with Tpetra's own code; calls of each of FUNCTIONS)
    arguments: tuple = (REDUCE,)
    data: tuple = ()  # copied into the folder it runs in
    binary: str = ""  # if it has another name
    seconds: int = 60  # the limit of one run, which takes a few


def below(folder, names, suffix=""):
    return tuple(f"{folder}/{name}{suffix}" for name in names.split())


INTERPRETER = (*below(INTERFACE, "ParameterListInterpreter", ".cpp"), *below(MUELU, "MueLu_TestHelpers", ".cpp"))
PROGRAMS = [
    Program("MatrixMatrix_UnitTests", TPETRA, (f"{TPETRA}/MatrixMatrix/MatrixMatrix_UnitTests.cpp", TEUCHOS_MAIN),
            {1: (11, 73, 6, 0), 4: (11, 73, 6, 9)}, ("--matnames-file=matrixsystems.xml", REDUCE),
            below(f"{TPETRA}/MatrixMatrix", "matrixsystems.xml matrices")),
    Program("FECrs_MatrixMatrix_UnitTests", TPETRA,
            (f"{TPETRA}/MatrixMatrix/FECrs_MatrixMatrix_UnitTests.cpp", TEUCHOS_MAIN),
            {1: (1, 16, 0, 0), 4: (1, 16, 0, 0)}),
    Program("ImportExport2_UnitTests", TPETRA, (f"{TPETRA}/ImportExport2/ImportExport2_UnitTests.cpp", TEUCHOS_MAIN),
            {1: (12, 5, 0, 0), 4: (12, 5, 0, 0)}),
    Program("Xpetra_MatrixMatrix_UnitTests", XPETRA,
            below(XPETRA, "MatrixMatrix/MatrixMatrix_UnitTests Xpetra_UnitTests", ".cpp"),
            {1: (1, 4, 0, 0), 4: (1, 4, 0, 0)}, data=below(f"{XPETRA}/MatrixMatrix", "A B AB AtB ABt AtBt", ".mat")),
    Program("Xpetra_BlockedCrsMatrix_UnitTests", XPETRA,
            below(XPETRA, "BlockedCrsMatrix/BlockedCrsMatrix_UnitTests Xpetra_UnitTests", ".cpp"),
            {1: (25, 18, 0, 0), 4: (25, 18, 0, 0)}, data=below(f"{XPETRA}/BlockedCrsMatrix", "A P", ".mat")),
    Program("MueLu_RAP_UnitTests", MUELU,
            below(MUELU, "RAPFactory SaPFactory RAPShiftFactory PgPFactory GenericRFactory MueLu_TestHelpers "
                         "MueLu_UnitTests", ".cpp"),
            {1: (25, 60, 12, 0), 4: (25, 68, 14, 0)}, ("--linAlgebra=Tpetra", REDUCE)),
    Program("MueLu_Blocked_UnitTests", MUELU,
            below(MUELU, "BlockedCoarseMapFactory BlockedPFactory BlockedRAPFactory BlockedRepartition "
                         "SchurComplementFactory SubBlockAFactory MueLu_TestHelpers MueLu_UnitTests", ".cpp"),
            {1: (15, 4, 0, 0), 4: (15, 28, 0, 0)}, ("--linAlgebra=Tpetra", REDUCE)),
    Program("MueLu_CreatePreconditioner_UnitTests", MUELU,
            below(MUELU, "Adapters/CreatePreconditioner MueLu_TestHelpers MueLu_UnitTests", ".cpp"),
            {1: (5, 4, 2, 0), 4: (5, 4, 2, 0)}, ("--linAlgebra=Tpetra", REDUCE),
            below(f"{MUELU}/Adapters", "test testReuse testWithRebalance testPDE testPDE1", ".xml")
            + below(MUELU, "TestMatrices")),
    Program("ParameterListInterpreter", MUELU, INTERPRETER, {1: (93, 452, 208, 8), 4: (27, 112, 54, 2)},
            ("--linAlgebra=Tpetra", "--kokkos-threads=1"), below(INTERFACE, "default"), seconds=240),
    Program("ParameterListInterpreter_heavy", MUELU, INTERPRETER, {1: (24, 236, 48, 0), 4: (1, 12, 0, 0)},
            ("--linAlgebra=Tpetra", "--kokkos-threads=1", "--heavytests"), below(INTERFACE, "default"),
            "ParameterListInterpreter", seconds=240),
]
