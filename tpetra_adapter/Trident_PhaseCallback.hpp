#ifndef TRIDENT_PHASE_CALLBACK_HPP
#define TRIDENT_PHASE_CALLBACK_HPP

#include <Teuchos_RCP.hpp>
#include <functional>

namespace Trident {

/// What is done with each column phase of a product, in order, by all ranks: `phase` has C's maps and the
/// columns of one run, fill complete; it is the callee's from then on. Returns what C is to keep of it, a
/// matrix with the same row and domain map (pruned, say, as Markov clustering does), or null for nothing: it
/// was streamed out.
///
/// Given as an RCP under "trident: phase callback". Collective: it may communicate. If it throws on
/// some ranks they throw the same, and the others std::runtime_error with the text; but where the others wait
/// in communication of the callback's own, nobody can tell them.
template <class CrsMatrix>
using PhaseCallback = std::function<Teuchos::RCP<const CrsMatrix>(const Teuchos::RCP<CrsMatrix>& phase,
                                                                  int number, int phases)>;

}  // namespace Trident

#endif
