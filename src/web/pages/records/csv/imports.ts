import { effect, signal } from '@preact/signals'
import { unsavedWork } from '../../../data/pending.ts'
import { sessionKey } from '../../../data/session-key.ts'
import { ImportRun, NO_PROGRESS, type Plan, type Progress } from './import-run.ts'

/** A running or finished import. It survives leaving the screen. */
export interface Import {
  /** Column names of the file. */
  readonly head: readonly string[]
  readonly abort: AbortController
  readonly progress: Progress
  readonly isRunning: boolean
  /** Set if it ended early. */
  readonly refusal?: string
}

/** The last import per session and structure. */
const imports = signal<ReadonlyMap<string, Import>>(new Map())

const nameOf = (structure: string) => `${sessionKey.peek()} ${structure}`

export const importInto = (structure: string): Import | undefined => imports.value.get(nameOf(structure))

/** Imports a file; resolves when the import has ended. */
export async function startImport(plan: Plan, head: readonly string[]): Promise<void> {
  const name = nameOf(plan.structure.id)
  const abort = new AbortController()
  const first: Import = { head, abort, progress: NO_PROGRESS, isRunning: true }
  const change = (part: Partial<Import>) => {
    const current = imports.peek().get(name)
    if (current?.abort === abort) imports.value = new Map(imports.peek()).set(name, { ...current, ...part })
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

// An import never continues under another session. Its progress stays visible to its own.
effect(() => {
  void sessionKey.value
  for (const { abort } of imports.peek().values()) abort.abort()
})

unsavedWork.add({ isUnsafe: () => [...imports.peek().values()].some(({ isRunning }) => isRunning) })
