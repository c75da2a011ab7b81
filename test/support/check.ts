import { findFaults, repairDerived } from '../../src/operation/integrity.ts'
import type { TestService } from './service.ts'

/** The faults that `daybook check` reports for the database of a service. */
export const faultsIn = ({ ctx }: Pick<TestService, 'ctx'>): string[] => findFaults(ctx.db)

/** Rebuilds derived data, as `daybook check --repair` does. */
export const repair = async ({ ctx }: Pick<TestService, 'ctx'>): Promise<void> => {
  await repairDerived(ctx.db)
}
