interface Reason {
  section: RegExp
  what: RegExp
  reason: string
}

/** Reasons for missed goals; the first entry that matches applies. */
const REASONS: readonly Reason[] = [
  {
    section: /^[\d,]+ workspaces/,
    what: /^upgrade/,
    reason:
      'each `DROP TABLE` goes through the whole schema, so that 20,000 take some 50 times as long as 2,000. It happens once, in steps, and logs its progress.',
  },
  {
    section: /^(Notes|Rows in use), \d/,
    what: /client/,
    reason:
      'the floor neither checks a key nor a body, matches no webhooks, notifies no watchers, keeps no history of a text, and writes no line of log.',
  },
  {
    section: /^Rows in use/,
    what: /^bytes/,
    reason:
      'the two tables of the values alone take three quarters of it; storing them once would make reads or filters several times as slow (`scripts/decisions/0018-the-format-of-row-values.md`).',
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
      'alone on the machine the page needs half of it; it shares both processors with the browser, its storage and the measurement.',
  },
  {
    section: /^Application/,
    what: /^jump/,
    reason:
      'the first jumps into a list read all rows before the target, up to half of the list; later ones begin at a known position.',
  },
  {
    section: /^Application/,
    what: /^edit by API/,
    reason:
      'the grid reads its rows again after the notification; why some readings take twice the median was not examined.',
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
      'the requests of 1,000 watches arrive at once; they are started in slices of 5 ms, but the program that sends them, the probe and the threads that read pages share both processors.',
  },
  {
    section: /^Waits/,
    what: /./,
    reason:
      'the main thread stays within its limit; these waits are for the disk, which syncs the commit of a small write after everything that the operation, or the one before it, has written.',
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
