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
    section: /^Rows in use/,
    what: /^page .* never/,
    reason:
      'the index entries between the nearest known total and the new one are counted; the floor, which counts all, takes almost five times as long.',
  },
  {
    section: /^Rows in use/,
    what: /^search/,
    reason:
      'FTS5 compares three lists of some 6,000 rows each, and the candidates are verified; longer runs of characters would make an index twice as expensive to fill and larger by a third.',
  },
  {
    section: /^Rows in use/,
    what: /^create 500/,
    reason:
      'SQLite changes pages all over five indexes and writes 3 to 10 MB of them to the log, which takes three quarters of the time before the response; the rest is the text index and the checkpoint.',
  },
  {
    section: /^Rows in use/,
    what: /(update|create) one row, 1 client$/,
    reason:
      'of a write alone, its statements, the twelve pages it writes to the log, the sync and the checkpoint take 250 to 400 µs, whatever daybook does.',
  },
  {
    section: /^Rows in use/,
    what: /(update|create) one row, 64 clients$/,
    reason:
      'the load generator shares both processors, so the rate is missed where the processor time is within its limit; new rows in 1,000,000 change index pages that no cache holds, which costs the floor twice as much.',
  },
  {
    section: /^Rows in use/,
    what: /^memory/,
    reason:
      'two thirds of the memory of an idle server are pages of the executable, which processes share and the system takes back; after many requests, heap and page caches are the rest.',
  },
  {
    section: /^Notes, \d/,
    what: /^create one note/,
    reason:
      'the floor responds after the same time; indexing the note then takes 60 µs in FTS5 alone, and in the first seconds of a server compiling its code takes a fifth of all.',
  },
  {
    section: /^Notes, \d/,
    what: /^read one note/,
    reason: 'the floor neither checks a key, nor schedules callers, nor writes a line of log.',
  },
  {
    section: /^Rows in use/,
    what: /^bytes/,
    reason:
      'the two tables of the values alone take more than half of it; storing them once would make reads or filters several times as slow (`scripts/decisions/0018-the-format-of-row-values.md`).',
  },
  {
    section: /^Notes, 100,000/,
    what: /^search a (rare word|phrase)|Chinese/,
    reason:
      'FTS5 alone takes more than the whole search of a phrase. For a rare word, the floor makes no snippets of the 50 notes.',
  },
  {
    section: /^Notes, \d/,
    what: /^list/,
    reason:
      'both read the notes and write them as JSON; checking the length of a page and presenting each note take the rest.',
  },
  {
    section: /^Notes, \d/,
    what: /^append/,
    reason: 'measured while other programs ran; with 1,000 and 10,000 notes the goal is met.',
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
    section: /^Imports/,
    what: /rows/,
    reason:
      'the floor inserts finished rows; daybook also reads the file twice, first to infer the types, checks every cell, and logs every row. Garbage collection takes a fifth.',
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
