import type { AppContext } from '../../context.ts'
import { autoIndexFill, autoIndexSort, autoIndexStart, type IndexPlace } from './auto-index.ts'

/** The builds that run, so that none runs twice at the same time. */
const buildsByWorker = new WeakMap<AppContext['worker'], Map<string, Promise<boolean>>>()

type Builder = Pick<AppContext, 'worker' | 'clock'>

/**
 * Builds an index in steps, between which others write; returns whether it is ready. One that was interrupted, for
 * example by a crash, is completed.
 */
export function buildAutoIndex(ctx: Builder, place: IndexPlace): Promise<boolean> {
  const builds = buildsByWorker.get(ctx.worker) ?? new Map<string, Promise<boolean>>()
  buildsByWorker.set(ctx.worker, builds)
  const key = `${place.structurePk} ${place.column}`
  const running = builds.get(key)
  if (running) return running
  const build = buildInSteps(ctx, place).finally(() => builds.delete(key))
  builds.set(key, build)
  return build
}

async function buildInSteps({ worker, clock }: Builder, place: IndexPlace): Promise<boolean> {
  const { structurePk, column } = place
  const { isDone, isReady } = await worker.write(autoIndexStart, { structurePk, column, now: clock.now() })
  if (isDone) return isReady
  for (;;) {
    await worker.write(autoIndexSort, { structurePk, column })
    let from = 0
    for (;;) {
      const state = await worker.write(autoIndexFill, { structurePk, column, from })
      if (state === 'done') return true
      if (state === 'lost') break
      from = state
    }
  }
}
