/** What a subscription may ask for (`service.md`, Events). */
export const RECORD_EVENTS = ['record.created', 'record.updated', 'record.deleted'] as const
export type RecordEvent = (typeof RECORD_EVENTS)[number]

/** Sent on request alone. */
export const TEST_EVENT = 'webhook.test'
export const EVENTS = [...RECORD_EVENTS, TEST_EVENT] as const
export type EventType = (typeof EVENTS)[number]
