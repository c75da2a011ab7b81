/*
 * JSON whose keys are in the order in which they came. Objects of the language put keys that are numbers first, so such keys
 * are given a mark while the text is parsed and written. An escaped quote never begins a key.
 */

const NUMBER_KEY = /(?<!\\)"(?=\d+"\s*:)/

/** Whether the language would change the order of some keys of a JSON text. */
export const hasNumberKeys = (text: string): boolean => NUMBER_KEY.test(text)

/** A JSON text, parsed with its order. */
export class OrderedJson {
  /** In no text. */
  readonly #mark = crypto.randomUUID()
  readonly #value: unknown

  constructor(text: string) {
    this.#value = JSON.parse(text.replace(new RegExp(NUMBER_KEY, 'g'), `"${this.#mark}`))
  }

  /** The value at these keys, as compact JSON. */
  at(keys: readonly string[]): string {
    const memberOf = (value: unknown, key: string) =>
      (value as Record<string, unknown>)[Array.isArray(value) || !/^\d+$/.test(key) ? key : this.#mark + key]
    return JSON.stringify(keys.reduce(memberOf, this.#value)).replaceAll(`"${this.#mark}`, '"')
  }
}
