import { effect, signal } from '@preact/signals'
import { api } from '../../data/api.ts'
import { onChange, onMissed } from '../../data/live.ts'
import { isPutOff, Refused, retryDelayOf } from '../../data/request.ts'
import { sessionKey } from '../../data/session-key.ts'
import { address } from '../../router.ts'
import { type Field, type Row, rowLabel, type Structure } from './model.ts'
import { isId } from './references.ts'
import { addressOfRow } from './view.ts'

/** What a reference leads to. */
export interface Target {
  readonly label: string
  readonly href: string | undefined
}

const NOT_THERE: Target = { label: 'no longer there', href: undefined }
const KEPT = 5_000

const targets = signal<ReadonlyMap<string, Target>>(new Map())
const asked = new Set<string>()

type Naming = Pick<Field, 'type' | 'structure'>

/** A reference that is to be read. */
interface Asked {
  readonly field: Naming
  readonly id: string
}

let waiting: Asked[] = []

/** Labels change with what they name. */
onChange(({ kind, id }) => {
  if (kind !== 'note' && kind !== 'file' && kind !== 'record') return
  if (asked.delete(id)) askAgain()
})
onMissed(() => {
  asked.clear()
  askAgain()
})

/** Has what is shown ask for what is not asked; what is known stays until then, also in a field that is being edited. */
function askAgain(): void {
  targets.value = new Map(targets.peek())
}

function forgetAll(): void {
  asked.clear()
  targets.value = new Map()
}

effect(() => {
  void sessionKey.value
  forgetAll()
})

/** The label and the address of what a reference names, once they are known; what was typed stands for itself. */
export function targetOf(field: Naming, id: string): Target | undefined {
  if (!isId(id)) return { label: id, href: undefined }
  const found = targets.value.get(id)
  if (!asked.has(id)) ask(field, id)
  return found
}

function ask(field: Naming, id: string): void {
  if (targets.peek().size > KEPT) forgetAll()
  asked.add(id)
  if (waiting.length === 0) setTimeout(() => void resolveWaiting())
  waiting.push({ field, id })
}

function know(found: Iterable<readonly [string, Target]>): void {
  targets.value = new Map([...targets.peek(), ...found])
}

async function resolveWaiting(): Promise<void> {
  const batch = waiting
  waiting = []
  const isOfRow = ({ field }: Asked) => field.type === 'record' && field.structure !== null
  const rows = Map.groupBy(batch.filter(isOfRow), ({ field }) => field.structure ?? '')
  const others = batch.filter((one) => !isOfRow(one))
  await Promise.all([
    ...others.map((one) => resolveOne(one).catch((error: Error) => unresolved([one], error))),
    ...[...rows].map(([structure, some]) =>
      resolveRows(structure, some).catch((error: Error) => unresolved(some, error)),
    ),
  ])
}

/** Only a 404 says that something is no longer there; what cannot be read now is asked for again. */
function unresolved(some: readonly Asked[], error: Error): void {
  if (error instanceof Refused && error.status === 404) {
    know(some.map(({ id }) => [id, NOT_THERE]))
    return
  }
  for (const { id } of some) asked.delete(id)
  const again = () => {
    for (const { field, id } of some) targetOf(field, id)
  }
  if (isPutOff(error)) setTimeout(again, retryDelayOf(error))
}

/** Rows of one structure are read together. */
async function resolveRows(nameOrId: string, all: readonly Asked[]): Promise<void> {
  const ids = all.map(({ id }) => id)
  const { structure } = await api.get('/v1/records/structures/{nameOrId}', { params: { nameOrId } })
  for (let start = 0; start < ids.length; start += 200) {
    const some = ids.slice(start, start + 200)
    const filter = JSON.stringify([{ field: 'id', op: 'in', value: some }])
    const { records } = await api.get('/v1/records', {
      query: { structure: structure.id, filter, limit: 500 },
    })
    const found = new Map((records as Row[]).map((row) => [row.id, row]))
    know(some.map((id) => [id, targetOfRow(structure, id, found.get(id))] as const))
  }
}

const targetOfRow = (structure: Structure, id: string, row: Row | undefined): Target =>
  row ? { label: rowLabel(structure, row), href: addressOfRow(structure.id, id) } : NOT_THERE

async function resolveOne({ field, id }: Asked): Promise<void> {
  know([[id, await readTarget(field, id)]])
}

async function readTarget(field: Naming, id: string): Promise<Target> {
  if (field.type === 'note') {
    const { note } = await api.get('/v1/notes/{id}', { params: { id } })
    return { label: note.title, href: address(['notes', id]) }
  }
  if (field.type === 'file') {
    const { file } = await api.get('/v1/files/{id}', { params: { id } })
    return { label: file.file_name, href: address(['files', id]) }
  }
  const { record, structure_id } = await api.get('/v1/records/{id}', { params: { id } })
  const nameOrId = structure_id
  const { structure } = await api.get('/v1/records/structures/{nameOrId}', { params: { nameOrId } })
  return targetOfRow(structure, id, record as Row)
}
