import {
  CA_FLAG,
  type Command,
  DB_FLAG,
  flag,
  SECRET_FLAG,
  setting,
  textFlag,
  WORKSPACE_FLAG,
  WrongUsage,
} from '../command.ts'

export const listen: Command = {
  name: 'listen',
  summary:
    'Receive the changes of a structure, or the events of a source, on this machine, without a public address.',
  flags: [
    flag('--url <base_url>', 'the daybook to listen to'),
    setting('--key <key>', 'an API key; scope read is enough for a structure'),
    CA_FLAG,
    flag('--structure <name>', 'the structure to watch, by name or id'),
    flag('--source <name>', 'the source to receive events from, by name or id'),
    flag('--forward <url>', 'post each change or event to this URL'),
    flag('--to <url>', 'another name of --forward'),
    flag('--state <file>', 'the file that stores the position in the events (default .daybook-listen.json)'),
    SECRET_FLAG,
    flag('--print', 'print each change or event as a line of JSON on stdout'),
    WORKSPACE_FLAG,
    DB_FLAG,
  ],
  remarks: [
    'Without a secret it prints a new one for this run. It watches the newest 500 rows. changed and previous are',
    'filled for rows that were seen before, and every change is reported as made through the API. A failed post is',
    'not retried. A stream that breaks is reopened, also after a restart of the server, and the changes in between',
    'are delivered. Exits 1 when the key is no longer accepted or the structure is deleted, and 0 on SIGINT or',
    'SIGTERM.',
    '',
    'Events of a source arrive with the original body and headers, signatures included, oldest first from where the',
    'last run ended. They are read from the database, or with --url from a server, which needs a write key and the',
    'secret of the source in DAYBOOK_SECRET. A post is tried five times; then the command exits 1.',
  ],
  examples: [
    'daybook listen --url http://127.0.0.1:8787 --structure Expenses --forward http://localhost:3000/hook',
    'DAYBOOK_KEY=dbk_… daybook listen --url https://daybook.example.com --structure Expenses --print',
    'daybook listen --source "Card payments" --to http://localhost:3000/hook',
  ],
  run: async (input, io) => {
    if (textFlag(input, 'source') !== undefined) {
      if (textFlag(input, 'structure') !== undefined)
        throw new WrongUsage('Give --source or --structure, not both.')
      return (await import('../listen/source.ts')).listenToSource(input, io)
    }
    for (const [name, value] of [['url', 'base_url'] as const, ['structure', 'name'] as const])
      if (textFlag(input, name) === undefined) throw new WrongUsage(`"listen" needs --${name} <${value}>.`)
    if (textFlag(input, 'db') !== undefined || textFlag(input, 'to') !== undefined)
      throw new WrongUsage('--db and --to need --source.')
    return (await import('../listen/listen.ts')).listen(input, io)
  },
}
