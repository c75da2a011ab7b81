/** Sources, and the quick tests that should notice any change of them. */
export interface Subject {
  readonly files: readonly string[]
  readonly tests: readonly string[]
}

export const SUBJECTS: Readonly<Record<string, Subject>> = {
  filter: {
    files: ['src/filter/**/*.ts'],
    tests: [
      'test/filter',
      'test/records/list.test.ts',
      'test/records/oracle.test.ts',
      'test/records/user-fields.test.ts',
      'test/notes/query.test.ts',
      'test/transfer/csv.test.ts',
    ],
  },
  access: {
    files: ['src/kernel/caller.ts', 'src/people/accounts/reach.ts', 'src/http/authorizer.ts'],
    tests: [
      'test/people/access',
      'test/people/sessions/removed-members.test.ts',
      'test/people/sessions/sessions.test.ts',
      'test/people/sessions/rules.test.ts',
      'test/people/accounts/account.test.ts',
      'test/contract/access.test.ts',
      'test/http/authorizer.test.ts',
      'test/kernel/calls.test.ts',
      'test/shares/shares.test.ts',
    ],
  },
  kernel: {
    files: ['src/kernel/*.ts'],
    tests: [
      'test/kernel',
      'test/records/idempotency.test.ts',
      'test/http/entity-tags.test.ts',
      'test/http/problem.test.ts',
      'test/people/access',
      'test/contract/shared-queues.test.ts',
      'test/operation/statistics.test.ts',
      'test/upgrade/stages.test.ts',
    ],
  },
  delivery: {
    files: ['src/events/delivery/**/*.ts'],
    tests: [
      'test/events/delivery',
      'test/events/sources/forward.test.ts',
      'test/events/webhooks/delivery-log.test.ts',
      'test/events/webhooks/delivery-states.test.ts',
      'test/events/webhooks/ordered.test.ts',
      'test/events/webhooks/outbox.test.ts',
      'test/events/webhooks/own-headers.test.ts',
      'test/events/webhooks/quiet-time-oracle.test.ts',
      'test/events/webhooks/rotation.test.ts',
    ],
  },
  writes: {
    files: ['src/storage/writes/*.ts', 'src/storage/connection/health.ts'],
    tests: [
      'test/storage/chunks.test.ts',
      'test/storage/write-groups.test.ts',
      'test/storage/write-queue.test.ts',
      'test/storage/disk.test.ts',
      'test/storage/lost-files.test.ts',
      'test/storage/pause-during.test.ts',
    ],
  },
}
