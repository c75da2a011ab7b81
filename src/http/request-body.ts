/**
 * The body of a request as the input of a write. Only its text is copied to another thread, where it is parsed again: that
 * takes less time than copying its parts.
 */
export class RequestBody<Value> {
  readonly #value: Value

  constructor(
    value: Value,
    readonly text: string,
  ) {
    this.#value = value
  }

  static valueOf<Value>(body: RequestBody<Value>): Value {
    return body instanceof RequestBody ? body.#value : JSON.parse((body as RequestBody<Value>).text)
  }
}
