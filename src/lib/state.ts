/**
 * State that features attach to a connection or a transaction and that ends with it: mainly caches. Each value is
 * created on first use; its key is `make`, a function at the top level of a module.
 */
export class State {
  readonly #created = new Map<() => unknown, unknown>()

  of<Made>(make: () => Made): Made {
    const known = this.#created.get(make)
    if (known !== undefined) return known as Made
    const created = make()
    this.#created.set(make, created)
    return created
  }
}
