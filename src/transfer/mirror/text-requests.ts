import type { JsonObject } from '../../lib/json.ts'
import { refused } from '../../lib/refusal.ts'

export const CHARS_PER_REQUEST = 200_000

/** The server truncates a longer text, and states where its pages begin. */
export const isTextPart = ({ pages, text }: JsonObject): boolean =>
  typeof pages === 'string' && typeof text === 'string' && text.length <= 2 * CHARS_PER_REQUEST

const MAX_MISTAKABLE = 10_000

/** Bounds the requests for the text of a file: a daybook fills at least one of two consecutive responses. */
export class TextRequests {
  #requests = 0
  #characters = 0
  #mistakable = 0

  constructor(private readonly id: string) {}

  add({ length }: string): void {
    this.#requests += 1
    this.#characters += length
    if (this.#requests > 2 + this.#mistakable + (2 * this.#characters) / CHARS_PER_REQUEST)
      throw this.#tooMany
  }

  addMistakable(): void {
    this.#mistakable += 1
    if (this.#mistakable > MAX_MISTAKABLE) throw this.#tooMany
  }

  get #tooMany() {
    return refused(`The remote sends the text of the file ${this.id} in more parts than any daybook does.`)
  }
}
