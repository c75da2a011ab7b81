import { Random } from '../random.ts'
import type { Api, ApiOptions } from './api.ts'
import type { SetClock } from './clock.ts'
import { Commander } from './commander.ts'
import type { Disk } from './disk.ts'
import { Faults } from './faults.ts'
import { InsistentWriter } from './insistent-writer.ts'
import type { NoteLedger } from './note-ledger.ts'
import { NoteWriter } from './note-writer.ts'
import type { Objects } from './objects.ts'
import type { Pace } from './pace.ts'
import type { Program } from './program.ts'
import { Reader } from './reader.ts'
import type { RowLedger } from './row-ledger.ts'
import { RowWriter, type WriterKey } from './row-writer.ts'
import type { Subscription } from './subscriptions.ts'
import { Tinkerer } from './tinkerer.ts'
import { Visitor } from './visitor.ts'
import { Watcher } from './watcher.ts'

const QUESTIONS = [
  { sort: 'updated_at', limit: 200 },
  { filter: [{ field: 'lane', op: 'eq', value: 'red' }], limit: 50 },
  { sort: 'amount', direction: 'asc', limit: 20 },
]

/** Anything that goes on until the load ends, with the pause between its steps, on average. */
interface Actor {
  readonly actor: { step(): Promise<void> }
  readonly pauseMs: number
}

/** Everyone who takes part. */
export interface Cast {
  readonly actors: readonly Actor[]
  readonly watchers: readonly Watcher[]
  readonly commander: Commander
  readonly reader: Reader
  readonly faults: Faults
}

export interface CastOptions {
  readonly shared: ApiOptions & { readonly api: Api }
  readonly seed: number
  readonly rows: RowLedger
  readonly notes: NoteLedger
  readonly keys: readonly [WriterKey, WriterKey]
  readonly objects: Objects
  readonly program: Program
  readonly clock: SetClock | undefined
  readonly disk: Disk | undefined
  readonly pace: Pace
  readonly subscriptions: readonly Subscription[]
}

/** Each has choices of its own, from the seed. */
export function newCast({ shared, seed, rows, notes, keys, objects, ...world }: CastOptions): Cast {
  let seeds = seed
  const own = () => ({ ...shared, random: new Random(++seeds) })
  const [first, second] = keys
  const insistent = new InsistentWriter(shared.api, notes)
  const reader = new Reader({ ...own(), objects, insistent })
  const commander = new Commander({ ...own(), ...world })
  const writers = [
    ...[first, second, first].map(
      (key, at) => new RowWriter({ ...own(), name: `writer${at}`, ledger: rows, key }),
    ),
    ...[0, 1].map((at) => new NoteWriter({ ...own(), name: `writer ${at}`, ledger: notes })),
  ]
  return {
    actors: [
      ...writers.map((actor) => ({ actor, pauseMs: 25 })),
      { actor: insistent, pauseMs: 100 },
      { actor: reader, pauseMs: 20 },
      { actor: new Reader({ ...own(), objects, insistent }), pauseMs: 20 },
      { actor: new Visitor({ ...own(), notes }), pauseMs: 100 },
      { actor: new Tinkerer({ ...own(), ...world }), pauseMs: 500 },
      { actor: commander, pauseMs: 1_000 },
    ],
    watchers: QUESTIONS.map((question) => new Watcher({ ...own(), question })),
    commander,
    reader,
    faults: new Faults({ ...own(), ...world }),
  }
}
