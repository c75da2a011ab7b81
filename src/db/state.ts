/**
 * What features keep with a connection or with a transaction, and lose with it: caches, above all. Each value is made when
 * it is first asked for, and `make`, a function at the top of a file, is its name.
 */
export class State {
  readonly #made = new Map<() => unknown, unknown>()

  of<Made>(make: () => Made): Made {
    const known = this.#made.get(make)
    if (known !== undefined) return known as Made
    const made = make()
    this.#made.set(make, made)
    return made
  }
}
