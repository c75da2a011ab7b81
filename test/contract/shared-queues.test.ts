import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'

/*
 * Every queue, pool and counter of the server that callers share, with the key for fair scheduling or counting. A new
 * one must be added here, with the key that keeps one caller from delaying the others.
 */

/**
 * `caller` is a key, or a user in a session. `address` is the address of a visitor, for IPv6 its /64. `nobody` applies
 * where no request waits, or where the limit covers the whole server. The reason says why no caller delays another.
 */
type Turn =
  | 'address'
  | 'caller'
  | 'caller, address'
  | 'caller, share'
  | 'nobody'
  | 'query'
  | 'sender'
  | 'share, address'
  | 'source'
  | 'subscription'
  | 'user, address'
  | 'workspace'

type Shared = readonly [Turn, string]

const LIST: Readonly<Record<string, Shared>> = {
  'people/accounts/passwords.ts: new Admission': ['user, address', 'hashes of passwords, in four lines'],
  'api.ts: new BodyBudget': ['caller, address', 'memory of large bodies'],
  'api.ts: new FormBytes': ['workspace', 'bytes that forms take in a day'],
  'api.ts: new Streams': ['caller', 'different queries of open streams'],
  'feed/subscribers.ts: #isRunning': ['nobody', 'readers of one feed are served 5 ms at a time'],
  'storage/connection/checkpoint.ts: #running': [
    'nobody',
    'one checkpoint at a time, for which no write waits',
  ],
  'storage/connection/reading.ts: #isHeld': [
    'nobody',
    'the read snapshot of the main thread, at most 20 ms old',
  ],
  'storage/connection/health.ts: #isRunning': ['nobody', 'one sync of the disk for all writes of a commit'],
  'storage/copy.ts: new Worker': ['nobody', 'a thread for the sync of one copy'],
  'storage/database.ts: new WriteQueue': ['caller, address', 'writes; of forms and sources by these'],
  'storage/read-limit.ts: #reserved': ['nobody', 'of one read'],
  'storage/sql.ts: #running': ['nobody', 'the statement that runs'],
  'storage/thread-start.ts: new Worker': [
    'caller, share',
    'the threads of queries and tasks, one for checkpoints, and one in each process that reads a file',
  ],
  'storage/worker/client.ts: new QueryScheduler': ['caller, share', 'long queries'],
  'storage/worker/client.ts: new TaskQueue': ['caller, address', 'long writes'],
  'storage/worker/query-scheduler.ts: new Admission': [
    'caller, share',
    'threads for queries, one of each at a time',
  ],
  'storage/worker/query-scheduler.ts: new WorkerThread': ['caller, share', 'two threads for queries'],
  'storage/worker/task-queue.ts: new Admission': ['caller, address', 'tasks that wait for the thread'],
  'storage/worker/task-queue.ts: new WorkerThread': ['caller, address', 'a thread for tasks'],
  'storage/writes/write-queue.ts: #queue': ['caller, address', 'writes; long ones are one line among them'],
  'storage/writes/write-queue.ts: new FairQueue': [
    'caller, address',
    'writes; long ones are one line among them',
  ],
  'events/delivery/client/sender.ts: new ConnectionPool': ['subscription', 'idle connections to receivers'],
  'events/delivery/dispatch/dispatcher.ts: #running': ['subscription', 'attempts that a stop waits for'],
  'events/delivery/dispatch/dispatcher.ts: new DeliverySchedule': [
    'workspace',
    'which subscription attempts next, in turn within its workspace',
  ],
  'events/delivery/dispatch/outcome-writer.ts: #queue': ['nobody', 'outcomes that are written together'],
  'events/delivery/dispatch/delivery-schedule.ts: #inFlight': [
    'workspace',
    'slots of attempts: a workspace takes half of the free ones, a subscription 1 to 4',
  ],
  'events/delivery/dispatch/delivery-schedule.ts: #queue': [
    'workspace',
    'workspaces with a ready subscription',
  ],
  'files/extraction/process.ts: Bun.spawn': ['sender', 'a process for each file that is read'],
  'files/reading-order.ts: #running': ['sender', 'two files at a time, of forms one'],
  'files/text-extraction.ts: new ReadingOrder': ['sender', 'files whose text is extracted next'],
  'http/authorizer.ts: new FailedKeys': ['address', 'failed keys in a minute'],
  'http/authorizer.ts: new RequestLimit': ['caller', 'requests in a minute'],
  'http/body.ts: new Admission': [
    'caller, address',
    'memory of large bodies; by share or source for visitors of one',
  ],
  'http/responses.ts: new Admission': ['caller, address', 'memory of responses, in two scopes'],
  'kernel/fair-share.ts: #queue': ['caller, address', 'requests that arrived together'],
  'http/pipeline.ts: new Bursts': ['caller, address', 'requests that arrived together'],
  'kernel/fair-share.ts: new FairQueue': ['caller, address', 'requests that arrived together'],
  'http/sse.ts: #queue': ['nobody', 'of one stream'],
  'kernel/file-write.ts: new WorkerThread': ['nobody', 'a command that copies a remote'],
  'kernel/job-runner.ts: #running': ['nobody', 'the steps of jobs, of which kinds take turns'],
  'lib/admission.ts: #reserved': ['caller, address', 'the room of an Admission, in all'],
  'lib/admission.ts: new FairQueue': ['caller, address', 'the work that waits in an Admission'],
  'kernel/fair-share.ts: new Admission': ['caller, address', 'steps of long work in this thread'],
  'operation/backups/download.ts: new Admission': [
    'nobody',
    'one download of an owner at a time; 60 s without taking end it',
  ],
  'operation/backups/process.ts: Bun.spawn': [
    'nobody',
    'processes for backups of the server itself and for downloads',
  ],
  'operation/backups/schedule.ts: #running': ['nobody', 'the backup of the server itself at one target'],
  'operation/backups/schedule.ts: new LogStreams': ['nobody', 'the upload of the log to each target'],
  'operation/backups/schedule.ts: new TargetSchedule': ['nobody', 'the backups of one target'],
  'records/rows/watches.ts: #isRunning': ['query', 'readers of one page are served 5 ms at a time'],
  'server.ts: new Dispatcher': ['subscription', 'attempts of webhooks'],
  'people/sessions/oidc/sign-in.ts: new Tickets': [
    'nobody',
    'signed steps; only those that were used are kept',
  ],
  'people/sessions/passkeys.ts: new Tickets': [
    'nobody',
    'signed challenges; only those that were used are kept',
  ],
  'people/oauth/authorize.ts: new Tickets': ['nobody', 'consent pages, which their tickets contain'],
  'people/oauth/client-document.ts: new Admission': [
    'address',
    'fetches of descriptions of clients, 4 of each address',
  ],
  'api.ts: new FailedSignIns': ['user, address', 'wrong passwords'],
  'shares/visitor-routes.ts: new FailedSignIns': ['share, address', 'wrong passwords of shares'],
  'shares/visitor-routes.ts: new SentPerDay': ['share, address', 'posts of forms in a day'],
  'people/sessions/streams.ts: #pendingRequests': ['nobody', 'requests that wait for a change or an event'],
  'events/sources/routes.ts: new RequestLimit': ['source', 'calls in a minute'],
}

const SOURCE = join(import.meta.dir, '../../src')
const MADE =
  /\bnew \w*(?:Queue|Turns|Admission|Budget|Bytes|Scheduler?|Bursts|RequestLimit|Order|Pool|Dispatcher|Semaphore|Tickets|FailedKeys|FailedSignIns|PerDay|Streams|Worker|WorkerThread)(?=[<(])|\bBun\.spawn(?=\()/g
const FIELD =
  /^ {2}(?:readonly )?#\w*(?:waiting|pendingRequests|running|queue|inFlight|held|reserved|busy)(?=[ :=])/gim

async function find(): Promise<string[]> {
  const found = new Set<string>()
  for await (const path of new Glob('**/*.ts').scan(SOURCE)) {
    // Code in a browser or for one command has only one caller.
    if (/^(?:web|cli|transfer\/mirror)\//.test(path)) continue
    const text = await Bun.file(join(SOURCE, path)).text()
    for (const pattern of [MADE, FIELD])
      for (const [match] of text.matchAll(pattern))
        found.add(`${path}: ${match.replace('readonly', '').trim()}`)
  }
  return [...found].sort()
}

test('every shared queue, pool and counter is listed with its callers', async () => {
  expect(await find()).toEqual(Object.keys(LIST).sort())
})
