import { effect, signal } from '@preact/signals'
import { unfinished } from '../../../data/pending.ts'
import { sessionKey } from '../../../data/session-key.ts'
import { ImportRun, NO_PROGRESS, type Plan, type Progress } from './import-run.ts'

/** An import of a file while it runs, and what came of it: both are there again when one comes back. */
export interface Import {
  /** The names of the columns of the file. */
  readonly head: readonly string[]
  readonly abort: AbortController
  readonly progress: Progress
  readonly isRunning: boolean
  /** Why it ended early. */
  readonly refusal?: string
}

/** The last import of each person into each structure. */
const imports = signal<ReadonlyMap<string, Import>>(new Map())

const nameOf = (structure: string) => `${sessionKey.peek()} ${structure}`

export const importInto = (structure: string): Import | undefined => imports.value.get(nameOf(structure))

/** Brings a file in; resolves when that has ended. */
export async function startImport(plan: Plan, head: readonly string[]): Promise<void> {
  const name = nameOf(plan.structure.id)
  const abort = new AbortController()
  const first: Import = { head, abort, progress: NO_PROGRESS, isRunning: true }
  const change = (part: Partial<Import>) => {
    const present = imports.peek().get(name)
    if (present?.abort === abort) imports.value = new Map(imports.peek()).set(name, { ...present, ...part })
  }
  imports.value = new Map(imports.peek()).set(name, first)
  try {
    await new ImportRun(plan, abort.signal, (progress) => change({ progress })).start()
  } catch (error) {
    change({ refusal: (error as Error).message })
  }
  change({ isRunning: false })
}

export function forgetImport(structure: string): void {
  const others = new Map(imports.peek())
  others.delete(nameOf(structure))
  imports.value = others
}

// Nothing goes on in the session of another; who comes back is told how far it came.
effect(() => {
  void sessionKey.value
  for (const { abort } of imports.peek().values()) abort.abort()
})

unfinished.add(() => [...imports.peek().values()].some(({ isRunning }) => isRunning))
