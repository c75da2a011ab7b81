import type { Api } from './api.ts'
import type { NoteLedger } from './note-ledger.ts'

/** The word that one note alone holds. */
export const markOf = (count: number) => `insistentmark${count}`

/** Sends each new note with an Idempotency-Key, and again and again until an answer is there: it must stand once. */
export class InsistentWriter {
  /** So many notes were acknowledged; they stay as they are. */
  written = 0

  constructor(
    private readonly api: Api,
    private readonly ledger: NoteLedger,
  ) {}

  async step(): Promise<void> {
    const title = `insistent note ${this.written}`
    const content = markOf(this.written)
    const request = { name: 'write a note, insisting', method: 'POST', path: '/v1/notes', status: 201 }
    for (;;) {
      const headers = { 'idempotency-key': title }
      const outcome = await this.api.send({ ...request, headers, body: { title, content } })
      if (outcome.kind === 'done') {
        this.ledger.acknowledge({ id: outcome.body.note.id, title, content, tags: [], isTrashed: false })
        this.written += 1
        return
      }
      await Bun.sleep(200)
    }
  }
}
