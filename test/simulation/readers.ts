import type { Random } from '../../scripts/lib/random.ts'
import type { Entry, Ledger } from './ledger.ts'
import { type Reply, Violation, type World } from './world.ts'
import { TABLE } from './writers.ts'

/* Readers that compare single objects, totals and searches with the ledger, while others write. */

/** Most tables of a run have fewer rows in each lane. */
const MANY = 200

export class Readers {
  #words = 0

  constructor(
    private readonly world: World,
    private readonly ledger: Ledger,
  ) {}

  async checkOne(random: Random): Promise<void> {
    const entries = this.ledger.entries.filter(({ isBusy, id }) => !isBusy && id !== '')
    if (entries.length > 0) await this.ledger.check(random.pick(entries))
  }

  /**
   * A total is the number of rows in the same response. Rows that nobody changes meanwhile are among them exactly if
   * they match.
   */
  async countRows(random: Random): Promise<void> {
    const lane = random.pick(['red', 'green', 'blue', undefined])
    const filter = JSON.stringify([{ field: 'lane', op: 'eq', value: lane }])
    const query = new URLSearchParams({ structure: TABLE, limit: `${MANY}`, ...(lane && { filter }) })
    const before = this.ledger.still('record')
    const unlisted = this.ledger.unlisted
    const reply = await this.world.call({ method: 'GET', path: `/v1/records?${query}` })
    if (reply?.status !== 200) return
    const isMatch = ({ data, isDeleted }: Entry) => !isDeleted && (lane === undefined || data?.lane === lane)
    const after = this.ledger.still('record')
    const still = [...after.keys()].filter((entry) => after.get(entry) === before.get(entry))
    const moving = this.ledger.entries.filter(({ kind }) => kind === 'record').length - still.length
    const { total, records } = reply.body
    const least = still.filter(isMatch).length
    if (total < least || total > least + moving + unlisted + this.ledger.unlisted)
      throw new Violation(`${total} rows with lane ${lane} are counted, not ${least}`)
    if (total > MANY) return
    if (total !== records.length)
      throw new Violation(`${total} rows with lane ${lane} are counted, and ${records.length} are listed`)
    const found = new Set(records.map(({ id }: { id: string }) => id))
    const wrong = still.find((entry) => found.has(entry.id) !== isMatch(entry))
    if (wrong) throw new Violation(`a list with lane ${lane} is wrong about ${wrong.name}`)
  }

  async searchNote(random: Random): Promise<void> {
    const notes = this.ledger.quiet('note')
    if (notes.length === 0) return
    const entry = random.pick(notes)
    entry.isBusy = true
    const found = await this.#search(entry.name)
    entry.isBusy = false
    if (found && !found.some(({ id }) => id === entry.id))
      throw new Violation(`a search for ${entry.name} does not find it`)
  }

  /** Renames a note again while others search for its name; a note that they find still has that name. */
  async searchRenamed(random: Random): Promise<void> {
    const notes = this.ledger.quiet('note')
    if (notes.length === 0) return
    const entry = random.pick(notes)
    const word = this.#newWord()
    await this.#rename(entry, word)
    const searching = [this.#search(word), this.#search(word)]
    if (!entry.isBusy && !entry.isDeleted) await this.#rename(entry, this.#newWord())
    await Promise.all(searching)
  }

  #newWord(): string {
    this.#words += 1
    return `zz${this.#words}`
  }

  #rename(entry: Entry, word: string): Promise<Reply | undefined> {
    const title = `${entry.name} ${word}`
    const sent = { method: 'PATCH', path: `/v1/notes/${entry.id}`, body: { title } } as const
    return this.ledger.write(sent, [{ entry, data: { ...entry.data, title }, isDeleted: false }], true)
  }

  /** The notes that are found by a word of their titles; undefined without a response. */
  async #search(word: string): Promise<{ readonly id: string; readonly title: string }[] | undefined> {
    const reply = await this.world.call({ method: 'GET', path: `/v1/notes?search=${word}` })
    if (reply?.status !== 200) return undefined
    const { notes, total } = reply.body
    const wrong = notes.find(({ title }: { title: string }) => !title.includes(word))
    if (wrong) throw new Violation(`a search for ${word} finds the note ${wrong.title}`)
    if (total < notes.length) throw new Violation(`a search for ${word} counts ${total} of ${notes.length}`)
    return notes
  }
}
