// The smallest program linked by an installed Trident::preload: says whether Tpetra's products are Trident's.
#include <Trident_Preload.hpp>
#include <cstdio>

int main() {
  const bool active = trident_is_active() == 1;
  std::puts(active ? "Trident is active" : "Trident is NOT active");
  return active ? 0 : 1;
}
