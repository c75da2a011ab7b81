import { Database } from 'bun:sqlite'
import { expect } from 'bun:test'
import { copyFileSync, rmSync } from 'node:fs'
import type { Browser } from 'puppeteer-core'
import { newSession } from './application-server.ts'
import { Device, type Place } from './offline-device.ts'
import { newFolder, type ServerProcess, startProcess } from './process.ts'
import { randomSource } from './random.ts'

type Writer = Place | 'program'
const WRITERS: readonly Writer[] = ['first', 'program', 'last']

/** A word written into a line. A word may be missing if it was saved and a restored server then lost it. */
interface Word {
  readonly text: string
  mayBeGone: boolean
}

/** The writes of one writer: the words of a line, and the possible values of its cell. */
interface Written {
  words: Word[]
  cell: readonly string[]
}

type Random = ReturnType<typeof randomSource>

interface Act {
  readonly name: string
  readonly weight: number
  readonly run: () => unknown
}

interface StoredNote {
  readonly content: string
  readonly tags: readonly string[]
  readonly updated_at: string
}

interface StoredRow {
  readonly id: string
  readonly data: Readonly<Record<string, string | undefined>>
  readonly updated_at: string
}

const STEPS = 14
/** Time limit for pending changes to be sent and shown in the other browser. */
const END_MS = 40_000

const wordsOf = (content: string, writer: Writer): string[] =>
  (content.split('\n').find((line) => line.split(' ')[0] === writer) ?? '').split(' ').slice(1)

/** The words that must be there, given those that are. */
const thereOf = (words: readonly Word[], there: readonly string[]): string[] =>
  words.filter(({ text, mayBeGone }) => !mayBeGone || there.includes(text)).map(({ text }) => text)

/** A server, two devices and a program, which run one history after another. */
export class Lane {
  readonly #folder = newFolder()
  #server!: ServerProcess
  #devices: readonly Device[] = []
  #structure = ''
  #note = ''
  #row = ''
  #written = new Map<Writer, Written>()
  #tags: Word[] = []
  #hasBackup = false
  #trail: string[] = []

  constructor(private readonly browser: Browser) {}

  get #file() {
    return this.#folder.file('daybook.db')
  }

  get #backup() {
    return this.#folder.file('backup.db')
  }

  get trail(): string {
    return this.#trail.join(' ')
  }

  async start(): Promise<void> {
    this.#trail = ['start']
    this.#server = await startProcess(this.#file)
    const fields = WRITERS.map((key) => ({ key, type: 'text' }))
    const { body } = await this.#server.post('/v1/records/structures', { name: 'Leads', fields })
    this.#structure = body.structure.id
    await this.#begin('begin')
    const cookie = {
      name: `daybook_session_${new URL(this.#server.url).port}`,
      value: await newSession(this.#file, 'owner'),
    }
    const shown = { structure: this.#structure, note: this.#note }
    this.#devices = await Promise.all(
      (['first', 'last'] as const).map((place) =>
        Device.start(this.browser, place, this.#server.url, cookie, shown),
      ),
    )
  }

  async close(): Promise<void> {
    for (const device of this.#devices) await device.close().catch(() => undefined)
    await this.#server.end()
    this.#folder.remove()
  }

  async #begin(name: string): Promise<void> {
    const content = 'first\n\nbetween\n\nprogram\n\nbetween\n\nlast'
    this.#note = (await this.#server.post('/v1/notes', { title: name, content })).body.note.id
    const row = { structure: this.#structure, data: { program: name } }
    this.#row = (await this.#server.post('/v1/records', row)).body.records[0].id
    this.#hasBackup = false
    this.#written = new Map(WRITERS.map((writer) => [writer, { words: [], cell: [''] }]))
    this.#of('program').cell = [name]
    this.#tags = []
  }

  #of(writer: Writer): Written {
    return this.#written.get(writer) as Written
  }

  readonly #held = async (): Promise<StoredNote> =>
    (await this.#server.get(`/v1/notes/${this.#note}`)).body.note
  readonly #heldRow = async (): Promise<StoredRow> =>
    (await this.#server.get(`/v1/records/${this.#row}`)).body.record

  /** Runs one history until all parties hold the same content. Throws if they do not. */
  async run(seed: number): Promise<void> {
    const random = randomSource(seed * 7_919 + 1)
    const name = `history ${seed}`
    this.#trail = ['show']
    await this.#begin(name)
    for (const device of this.#devices) await device.show(this.#note, name)
    for (let at = 0; at < STEPS; at++) await this.#step(random, `w${at}`)
    this.#trail.push('end')
    for (const { line } of this.#devices) line.join()
    await this.#untilEqual()
    for (const device of this.#devices) await device.showOtherTab()
    await this.#untilEqual()
    const { content, tags } = await this.#held()
    this.#checkNote(content)
    expect(tags.toSorted()).toEqual(thereOf(this.#tags, tags).toSorted())
    const { data } = await this.#heldRow()
    for (const writer of WRITERS) expect(this.#of(writer).cell).toContain(data[writer] ?? '')
    expect(this.#devices.flatMap(({ problems }) => problems)).toEqual([])
  }

  async #step(random: Random, word: string): Promise<void> {
    const device = this.#devices[random(2)] as Device
    const acts = this.#acts(device, random, word)
    let left = random(acts.reduce((sum, { weight }) => sum + weight, 0))
    const act = acts.find(({ weight }) => {
      left -= weight
      return left < 0
    })
    this.#trail.push(`${word} ${device.place} ${act?.name};`)
    await act?.run()
  }

  /** Returns the possible next actions with their weights. */
  #acts(device: Device, random: Random, word: string): readonly Act[] {
    const { line } = device
    return [
      { name: 'word', weight: 6, run: () => this.#writeWord(device, word, random(2) === 0 ? 0 : 1) },
      { name: 'cell', weight: 4, run: () => this.#writeCell(device, word) },
      // A tag is neither shown nor stored while its response is awaited.
      ...(line.isLosing ? [] : [{ name: 'tag', weight: 2, run: () => this.#writeTag(device, word) }]),
      line.isCut
        ? { name: 'join', weight: 3, run: () => line.join() }
        : { name: 'cut', weight: 3, run: () => line.cut() },
      { name: 'lose answers', weight: 1, run: () => line.loseAnswers() },
      { name: 'close tab', weight: 1, run: () => device.closeTab(([0, 1, 'rows'] as const)[random(3)] ?? 0) },
      { name: 'crash', weight: 1, run: () => device.crash() },
      { name: 'kill worker', weight: 1, run: () => device.killWorker() },
      { name: 'program', weight: 2, run: () => this.#writeByProgram(word) },
      { name: 'program cell', weight: 1, run: () => this.#writeCellByProgram(word) },
      this.#hasBackup
        ? { name: 'restore', weight: 2, run: () => this.#restore() }
        : { name: 'back up', weight: 2, run: () => this.#backUp() },
      { name: 'rest', weight: 2, run: () => this.#rest(device) },
    ]
  }

  async #writeWord(device: Device, text: string, tab: 0 | 1): Promise<void> {
    await device.writeWord(text, tab)
    this.#of(device.place).words.push({ text, mayBeGone: false })
  }

  async #writeCell(device: Device, text: string): Promise<void> {
    await device.writeCell(text)
    this.#of(device.place).cell = [text]
  }

  async #writeTag(device: Device, text: string): Promise<void> {
    await device.writeTag(text)
    this.#tags.push({ text, mayBeGone: false })
  }

  async #writeByProgram(word: string): Promise<void> {
    for (let status = 0; status !== 200; ) {
      const { content, updated_at } = await this.#held()
      const text = content.replace(/^program.*$/m, (line) => `${line} ${word}`)
      const body = { content: text, if_unchanged: updated_at }
      status = (await this.#server.patch(`/v1/notes/${this.#note}`, body)).status
    }
    this.#of('program').words.push({ text: word, mayBeGone: false })
  }

  async #writeCellByProgram(word: string): Promise<void> {
    for (let status = 0; status !== 200; ) {
      const body = { data: { program: word }, if_unchanged: (await this.#heldRow()).updated_at }
      status = (await this.#server.patch(`/v1/records/${this.#row}`, body)).status
    }
    this.#of('program').cell = [word]
  }

  /** Waits until a device has no pending changes, unless its line is cut. */
  async #rest(device: Device): Promise<void> {
    if (device.line.isCut) return
    device.line.join()
    await until(() => device.isSent())
  }

  #backUp(): void {
    const db = new Database(this.#file, { readonly: true })
    rmSync(this.#backup, { force: true })
    db.run('VACUUM INTO ?', [this.#backup])
    db.close()
    this.#hasBackup = true
  }

  /** Kills the server, and restarts it with an earlier state of its database. */
  async #restore(): Promise<void> {
    const joined = this.#devices.filter(({ line }) => !line.isCut)
    for (const { line } of joined) line.cut()
    const [held, heldRow] = [await this.#held(), await this.#heldRow()]
    const { port } = new URL(this.#server.url)
    const { key } = this.#server
    await this.#server.end('SIGKILL')
    for (const end of ['-wal', '-shm']) rmSync(this.#file + end, { force: true })
    copyFileSync(this.#backup, this.#file)
    this.#server = await startProcess(this.#file, { args: ['--port', port], key })
    const [restored, restoredRow] = [await this.#held(), await this.#heldRow()]
    for (const tag of this.#tags)
      tag.mayBeGone ||= held.tags.includes(tag.text) && !restored.tags.includes(tag.text)
    for (const writer of WRITERS) {
      const written = this.#of(writer)
      const [before, after] = [wordsOf(held.content, writer), wordsOf(restored.content, writer)]
      for (const word of written.words)
        word.mayBeGone ||= before.includes(word.text) && !after.includes(word.text)
      if (written.cell.includes(heldRow.data[writer] ?? ''))
        written.cell = [...written.cell, restoredRow.data[writer] ?? '']
    }
    for (const { line } of joined) line.join()
  }

  /** Waits until both devices have sent everything and show the content of the server. */
  async #untilEqual(): Promise<void> {
    let state: unknown
    const isEqual = async () => {
      const sent = [await this.#devices[0]?.isSent(), await this.#devices[1]?.isSent()]
      const shown = await Promise.all(this.#devices.map((device) => device.read()))
      const { content } = await this.#held()
      const { data } = await this.#heldRow()
      const row = Object.fromEntries(WRITERS.map((writer) => [writer, data[writer] ?? '']))
      const wanted = { note: content.replace(/\s+/g, ''), row }
      state = { sent, shown, wanted }
      return sent.every(Boolean) && shown.every((one) => Bun.deepEquals(one, wanted))
    }
    await until(isEqual).catch(async (error: Error) => {
      const said = await Promise.all(this.#devices.map((device) => device.statuses()))
      throw new Error(`${error.message}: ${JSON.stringify({ state, said })}`)
    })
  }

  #checkNote(content: string): void {
    const lines = WRITERS.map((writer) => [writer, ...wordsOf(content, writer)].join(' '))
    expect(content).toBe(lines.join('\n\nbetween\n\n'))
    for (const writer of WRITERS) {
      const { words } = this.#of(writer)
      const there = wordsOf(content, writer)
      expect({ writer, there }).toEqual({ writer, there: thereOf(words, there) })
    }
  }
}

/** Polls until the condition holds. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + END_MS
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('it did not come to rest')
    await Bun.sleep(100)
  }
}
