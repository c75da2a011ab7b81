import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { newFolder } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'
import { exportVaultFrom, filesIn, importVaultInto, type VaultFiles, writeFiles } from '../support/vault.ts'

/*
 * Small vaults after the documented shapes of the programs that write them. Each is imported into a workspace of its
 * own and exported: the files are the same, byte for byte.
 */

let service: TestService
const folder = newFolder()

beforeAll(async () => {
  service = await startService()
})
afterAll(() => {
  service.close()
  folder.remove()
})

/** Front matter as Obsidian, Jekyll, Hugo, Zettlr, Dendron, Foam, Joplin and others write it. */
const FRONTS: Readonly<Record<string, string>> = {
  none: '',
  empty: '---\n---\n',
  'a list of tags': '---\ntags:\n  - one\n  - two/deep\n---\n',
  'tags in brackets': '---\ntags: [one, "two words"]\n---\n',
  'tags in a line': '---\ntags: one two\n---\n',
  aliases: '---\naliases: [Other, "Second name"]\n---\n',
  Jekyll:
    '---\nlayout: post\ntitle:  "Welcome"\ndate:   2015-11-17 16:16:01 -0600\ncategories: [a, b]\n---\n',
  Hugo: '---\ntitle: "T"\ndate: 2020-01-01T10:00:00Z\ndraft: true\nweight: 10\n---\n',
  Dendron: "---\nid: abc123\ntitle: Root\ndesc: ''\nupdated: 1617045190922\ncreated: 1617045190922\n---\n",
  Zettlr: '---\ntitle: Note\nkeywords:\n- one\nbibliography: refs.bib\n...\n',
  comments: '---\n# mine\nrating:   5 # of 5\nempty:\n---\n',
  'texts of several lines': '---\nsummary: |\n  one\n  two\nfolded: >-\n  three\n  four\n---\n',
  'nested values': '---\nmap: {a: 1, b: [x, y]}\nlist:\n  - name: Ada\n    born: 1815-12-10\n---\n',
  anchors: '---\nbase: &b {x: 1}\nother: *b\n---\n',
  quotes: "---\nsingle: 'it''s'\ndouble: \"a\\tb\"\nversion: 1.10\nzip: 007\n---\n",
  links: '---\nup: "[[Target]]"\nrelated:\n  - "[[in/Deep|deep]]"\n  - \'see [[Target#Part]]\'\n---\n',
  template: '---\ncreated: {{date}}\ntags: []\n---\n',
  'Windows line ends': '---\r\nstatus: open\r\ntags: [x]\r\n---\r\n',
  TOML: '+++\ntitle = "T"\n+++\n',
  JSON: '{\n  "title": "T"\n}\n',
  broken: '---\na: [\n---\n',
}

/** Bodies with links and constructs of each kind. */
const BODIES: Readonly<Record<string, string>> = {
  plain: 'text\n',
  nothing: '',
  'wiki links':
    '[[Target]] [[in/Deep]] [[Deep|label]] [[Target#Part]] [[Target#^block]] [[#Here]] [[Nowhere]]\n',
  embeds: '![[Target]] ![[pic.png]] ![[pic.png|300]] ![[in/doc.pdf#page=2]]\n',
  'Markdown links':
    '[t](Target.md) [d](in/Deep.md#Part) [p](<in/doc.pdf>) ![a](pic.png "title") [e](in%2FDeep.md)\n',
  references: '[t][ref] and [ref]\n\n[ref]: Target.md "Title"\n',
  tables: '| a | b |\n| - | - |\n| [[Target\\|T]] | ![[pic.png\\|50]] |\n',
  callouts: '> [!note] Title\n> [[Target]]\n> > | [[Deep\\|d]] |\n',
  code: '```dataview\nLIST FROM [[Target]]\n```\n`[[Target]]` and ~~~ [[Deep]]\n',
  comments: '%% [[Target]] %% <!-- [[Deep]] --> text\n',
  tasks: '- [ ] one [[Target]]\n- [x] two #done\n    - deep\n',
  mathematics: '$$\nx = [[1]]\n$$\ninline $[[a]]$ #tag\n',
  'Windows line ends': '[[Target]]\r\n\r\n[d](in/Deep.md)\r\n',
  footnotes: 'a[^1]\n\n[^1]: see [[Target]]\n',
  'trailing blanks': '\n\n[[Target]]  \n\t\n\n',
  HTML: '<div>\n[[Target]]\n</div>\n\n<img src="pic.png">\n',
}

const REST: VaultFiles = {
  'Target.md': '# Part\n\ntext ^block\n',
  'in/Deep.md': 'back to [[Target]]\n',
  'pic.png': 'pixel',
  'in/doc.pdf': 'document',
}

const LOGSEQ: VaultFiles = {
  'pages/A___B.md': 'alias:: Other\ntags:: x, [[y z]]\n\n- [[C]] #[[y z]]\n',
  'pages/C.md': '- back to [[A/B]]\n',
  'journals/2024_05_06.md': '- [[C]] [[May 6th, 2024]]\n',
}

const fronts = Object.entries(FRONTS)
const bodies = Object.entries(BODIES)
const note = (front: string, body: string): VaultFiles => ({ 'Note.md': front + body, ...REST })

const CORPUS: readonly (readonly [name: string, files: VaultFiles])[] = [
  ...fronts.map(
    ([name, front]) => [`front matter: ${name}`, note(front, BODIES['wiki links'] ?? '')] as const,
  ),
  ...bodies.map(([name, body]) => [`body: ${name}`, note('', body)] as const),
  // Each body below another front matter.
  ...bodies.map(([name, body], at) => {
    const [frontName, front] = fronts[(at * 5 + 2) % fronts.length] ?? ['', '']
    return [`${frontName} with ${name}`, note(front, body)] as const
  }),
  ['Logseq', LOGSEQ],
  ['names in two cases', { 'MAAS.md': 'a', 'MaaS.md': '[[MAAS]] [[MaaS]]', 'x.md': '[[maas]]' }],
  [
    'names of every kind',
    {
      'C#.md': '[[C#]]',
      'a [b].md': '[x](<a [b].md>)',
      '日本.md': '[[日本]]',
      '- dash.md': '[[- dash]]',
      'Q?.md': '[[Q?]]',
    },
  ],
  [
    'composed and decomposed names',
    { [`${'Café'.normalize('NFD')}.md`]: 'x', 'To.md': '[[Café]] [c](Café.md)' },
  ],
  [
    'marks of encodings',
    {
      'Marked.md': Buffer.from('\ufeff---\nx: 1\n---\n[[Wide]]'),
      'Wide.md': Buffer.from('\ufeff[a](Marked.md)', 'utf16le'),
    },
  ],
  [
    'equal names in folders',
    { 'a/Same.md': '[[b/Same]] [[Same]]', 'b/Same.md': '[[a/Same|x]]', 'Index.md': '[[a/Same]] [[b/Same]]' },
  ],
  [
    'titles of other notes',
    { 'One.md': '---\ntitle: Two\n---\n[[Two]]', 'Two.md': '---\ntitle: One\n---\n[[One]]' },
  ],
  ['aliases of other notes', { 'One.md': '---\naliases: [Two]\n---\n[[Two]]', 'Two.md': '[[One]] [[Two]]' }],
]

test('the corpus has at least 60 vaults', () => {
  expect(CORPUS.length).toBeGreaterThanOrEqual(60)
})

test('every vault comes back as it was', async () => {
  for (const [at, [name, files]] of CORPUS.entries()) {
    const [from, to] = [folder.file(`vault-${at}`), folder.file(`export-${at}`)]
    mkdirSync(from)
    writeFiles(from, files)
    await service.newWorkspace(`Vault ${at}`)
    const { refused } = await importVaultInto(service, `Vault ${at}`, from)
    expect([name, refused]).toEqual([name, []])
    exportVaultFrom(service, `Vault ${at}`, to)
    expect([name, filesIn(to, 'latin1')]).toEqual([name, filesIn(from, 'latin1')])
  }
})
