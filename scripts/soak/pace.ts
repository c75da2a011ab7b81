/** How long the load rests between its requests: not at all around a fault, so that it meets requests under way. */
export class Pace {
  #hurries = 0

  /** Answers how to end the hurry. */
  hurry(): () => void {
    this.#hurries += 1
    return () => {
      this.#hurries -= 1
    }
  }

  async rest(pauseMs: number): Promise<void> {
    await Bun.sleep(this.#hurries > 0 ? 0 : pauseMs)
  }
}
