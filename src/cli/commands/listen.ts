import { type Command, flag, SECRET_FLAG, setting } from '../command.ts'

/** Imported only when needed, because it loads what sends deliveries. */
const listening = () => import('../listen/listen.ts')

export const listen: Command = {
  name: 'listen',
  summary: 'Receive the changes of a structure on this machine, as webhooks without a public address.',
  flags: [
    flag('--url <base_url>', 'the daybook to listen to', { isRequired: true }),
    setting('--key <key>', 'an API key; scope read is enough'),
    flag('--structure <name>', 'the structure to watch, by name or id', { isRequired: true }),
    flag('--forward <url>', 'post each change to this URL, as a webhook delivery'),
    SECRET_FLAG,
    flag('--print', 'print each change as a line of JSON on stdout'),
  ],
  remarks: [
    'Without a secret it prints a new one for this run. Watches the newest 500 rows. changed and previous are filled for',
    'rows that were seen before, and every change is reported as made through the API. A post that fails is not retried. A stream that breaks is opened again, also',
    'after a restart of the server, and the changes in between are delivered. Exits 1 when the key is no longer',
    'accepted or the structure is deleted, and 0 on SIGINT or SIGTERM.',
  ],
  examples: [
    'daybook listen --url http://127.0.0.1:8787 --structure Expenses --forward http://localhost:3000/hook',
    'DAYBOOK_KEY=dbk_… daybook listen --url https://daybook.example.com --structure Expenses --print',
  ],
  run: async (input, io) => (await listening()).listen(input, io),
}
