interface Reason {
  section: RegExp
  what: RegExp
  reason: string
}

/** Why goals are missed; the first entry that matches counts. */
const REASONS: readonly Reason[] = [
  {
    section: /^Single writes/,
    what: /client/,
    reason:
      'the disk of this machine is shared, and the floor itself does not reach the rate; each write also checks the right of its caller, keeps a snapshot for reads until it is on the disk, and is synced in another thread, so that a disk that hangs stops no read.',
  },
  {
    section: /^[\d,]+ workspaces/,
    what: /^upgrade/,
    reason:
      'each `DROP TABLE` goes through the whole schema, so that 20,000 take some 50 times as long as 2,000. It is done once, in steps, and logs how far it is.',
  },
  {
    section: /^Notes, \d/,
    what: /^read one note/,
    reason:
      'the floor sends fixed bytes; daybook also parses the request, checks the key, reads the database and writes a line of log.',
  },
  {
    section: /^(Notes|Records), \d/,
    what: /^create, 64 clients/,
    reason:
      'the floor needs no HTTP and has a core to itself; the server shares two cores with its 64 clients.',
  },
  {
    section: /^Notes, 100,000/,
    what: /^search/,
    reason: 'the ratio is within its goal, the time is not: FTS5 alone takes most of it, or more.',
  },
  {
    section: /^Notes, \d/,
    what: /^list/,
    reason: 'close to the goal, which the other sizes meet; runs differ by several percent.',
  },
  {
    section: /^Filter trees/,
    what: /text contains/,
    reason:
      'the floor uses LIKE, which ignores case in ASCII only; daybook compares every value as Unicode. With 100,000 notes the goal is met.',
  },
  {
    section: /^Records, 1,000 /,
    what: /./,
    reason: 'the goal is set for 1,000,000 records; here the fixed cost of a request outweighs the query.',
  },
  {
    section: /^Records, 100,000 /,
    what: /./,
    reason:
      'the goal is set for 1,000,000 records, where it is met; why smaller scans lose more has not been examined.',
  },
  {
    section: /^Webhooks/,
    what: /^deliveries to \d+ receivers?$/,
    reason: 'a delivery is also read from the outbox, signed twice and recorded; the floor only calls fetch.',
  },
  {
    section: /^Imports/,
    what: /notes/,
    reason:
      'the floor inserts finished rows; daybook also reads front matter, rewrites links and splits the text into search words.',
  },
  {
    section: /^Processor time of writes/,
    what: /./,
    reason:
      'a change is one row in the log and one entry of its index by object: about 4 of 36 µs of an update. Without that index, or without reading the last number, it is less than 1 µs faster.',
  },
  {
    section: /^Application/,
    what: /^key at/,
    reason:
      'with the machine to itself the page needs half of it; both processors are shared with the browser, its storage and the measuring.',
  },
  {
    section: /^Application/,
    what: /^jump/,
    reason:
      'the first jumps into a list pass over the rows on the way, up to half of all; later ones begin at a place that is known.',
  },
  {
    section: /^Application/,
    what: /^edit by API/,
    reason:
      'the grid reads its rows again after the change was told; why some readings take twice the median was not examined.',
  },
  {
    section: /^Waits/,
    what: /^(rename a (note|file) with links|undo that)/,
    reason:
      'all links are rewritten in one transaction, for which other writes wait; raw SQL that does the same takes 188 to 262 ms.',
  },
  {
    section: /^Waits/,
    what: /^delete the structure/,
    reason:
      'the text index can only be dropped as a whole, which takes SQLite a tenth of a second or more; its tables cannot be emptied in steps.',
  },
  {
    section: /^Waits/,
    what: /^1,000 watches/,
    reason:
      'the requests of 1,000 watches arrive at once; they are begun in turns of 5 ms, but the program that sends them, the probe and the threads that read pages need both processors meanwhile.',
  },
  {
    section: /^Waits/,
    what: /./,
    reason:
      'in these waits the main thread works no longer than it may; it waits for the disk, where the commit of a small write is synchronised behind what the operation, or the one before it, has written.',
  },
  {
    section: /^Watch/,
    what: /5,000 streams/,
    reason: 'the server shares two cores with 5,000 readers, which receive every event.',
  },
]

export const reasonFor = (section: string, what: string): string =>
  REASONS.find((reason) => reason.section.test(section) && reason.what.test(what))?.reason ??
  'not explained yet.'
