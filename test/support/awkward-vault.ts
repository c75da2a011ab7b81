import { Database } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import { readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { VaultFiles } from './vault.ts'

const PIXEL = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAAC', 'base64')
const MIB = 1_048_576
/** `é` and `ü` in decomposed form, as macOS spells file names. */
const [E_ACUTE, U_UMLAUT] = ['e\u0301', 'u\u0308']

/** A folder with every case that has caused trouble in folders of notes. */
export const AWKWARD_VAULT: VaultFiles = {
  'Home.md': [
    'See [[Bread]], [[Recipes/Bread]], [[Bread|the loaf]], [[Recipes/Bread#Crust|its crust]] and [[#Here]].',
    '![[rim.gif]] ![[rim.gif|300]] [[letter.pdf#page=2]] ![a rim](pictures/rim.gif "title") [crust](Recipes/Bread.md#Crust)',
    '[a b](<Notes with blanks/One two.md>) [c](Notes%20with%20blanks/One%20two.md) [no](nowhere.md) [[Nowhere]] [[Loaf]]',
    '[by reference][ref] `[[Bread]]` \\[[Bread]] [[Second name]] [[Third]] [[Bread^block]] ![[Recipes/Bread]]',
    '',
    '[ref]: pictures/rim.gif',
    '',
    '```',
    '[[Bread]] #not-a-tag',
    '```',
    '#plain #Nested/Deep/Er #1984 #fff <span style="color: #abc">x</span> a#no',
    '',
  ].join('\n'),
  'Bread.md':
    '---\naliases: [Loaf, Home]\ntags: [Food, food/Bread, "a, b"]\ncreated: 2019-03-04T05:06:07+02:00\nupdated: 2020-01-01\n---\nOuter [[Home]].\n',
  'Recipes/Bread.md':
    '---\nalias: Loaf, Second name, Third\n---\n# Crust\nInner [[Bread]] ![[rim.gif]] [up](../Home.md) [out](../../Home.md) ^block\n',
  'Recipes/Deep/Bread.md':
    '[[Bread]] [[../Bread]] [[/Bread]] [[Deep/Bread]] [[Recipes/Deep/Bread#A#B|x]] [self](Bread.md#Crust)\n',
  'Notes with blanks/One two.md':
    '---\ntitle: "  Another title  "\ncover: https://example.org/a.png\n---\n[[Another title]]\n',
  'Types one.md':
    '---\nyes_no: true\nnumber: 12.5\nday: 2024-02-29\nwords: some words\nlist: [a, 2, true]\nmap: {a: {b: 1}}\nwide: 1\nleading: 007\nhex: 0x1f\nbig: 12345678901234567890\nnothing:\nempty: ""\nDue Date: 2024-01-01\n日付: 2024-05-06\nnotADate: 2024-02-30\nscore: 1\n---\n',
  'Types two.md':
    '---\nyes_no: maybe\nnumber: 3\nday: soon\nwide: [1]\ndue date: later\nScore: high\n---\nbody\n',
  'Wrong front matter.md': '---\n- a\n- list\n---\nbody\n',
  'Broken front matter.md': '---\na: [1\n---\nbody #real\n',
  'Dots.md': '---\nrating: 5\n...\nbody\n',
  'Block scalars.md': '---\nsummary: |\n  one\n  two\nanchor: &a x\nother: *a\n---\nbody',
  'Windows.md': '---\r\ntags: crlf\r\nkey: value\r\n---\r\nLine [[Bread]]\r\n#win\r\n',
  'Marked.md': '\ufeff---\ntags: marked\n---\n[[Windows]]\n',
  'Sixteen.md': Buffer.from('\ufeff# Sixteen\n[[Bread]] é', 'utf16le'),
  'Latin.md': Buffer.from([0x63, 0x61, 0x66, 0xe9]),
  'Zero.md': 'a\0b',
  'Empty.md': '',
  'Only front matter.md': '---\ntags: [lonely]\n---\n',
  'Old.md': '---\ndate created: 1815-12-10\nlast modified: 1852-11-27 10:00\n---\n',
  [`Caf${E_ACUTE}.md`]: `[[M${U_UMLAUT}hle]] [[Mühle]] ![[r${E_ACUTE}sum${E_ACUTE}.txt]]`,
  'Mühle.markdown': '[[Café]] [[CAFÉ]]',
  [`r${E_ACUTE}sum${E_ACUTE}.txt`]: 'text',
  'I # hash.md': '[[I # hash]] [[I # hash#Part]]',
  'Brackets [x].md': '[[Home]]',
  'To brackets.md': '[b](<Brackets [x].md>) [[Brackets [x]]]',
  [`${'long '.repeat(30)}.md`]: '[[Home]]',
  'Long alias.md': `---\nalias: ${'x'.repeat(201)}\ntags: [${'t'.repeat(101)}, ok]\n---\n`,
  'Same.md': 'one',
  'a/Same.md': 'two [[Same]] [[a/Same]] [[b/Same]]',
  'b/Same.md': 'three [[Same]] [[a/Same|A]] ![[b/shared.txt]] ![[shared.txt]]',
  'a/shared.txt': 'a',
  'b/shared.txt': 'b',
  'pictures/rim.gif': PIXEL,
  'letter.pdf': '%PDF-1.4\n',
  'rows.csv': 'Name,Amount\nAda,1\n',
  'nothing.txt': '',
  'unlinked.bin': new Uint8Array(10 * MIB).map((_, at) => at % 251),
  'Large.md': 'a line of text\n'.repeat(60_000),
  'Too large.md': 'x'.repeat(10 * MIB),
  '.obsidian/app.json': '{}',
  '.trash/Gone.md': 'gone',
  'deep/.hidden.md': 'hidden',
  'node_modules/x/README.md': 'a package',
}

/** Gives every file below a folder a distinct modification time, in whole even seconds. */
export function dateFiles(folder: string): void {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = paths.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  for (const [at, path] of files.sort().entries())
    utimesSync(path, 1_600_000_000 + 2 * at, 1_600_000_000 + 2 * at)
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/**
 * Everything that an import created in a workspace, with file paths in place of ids. Omits the times of the files'
 * text, and objects that were not imported except the definitions of tags and properties.
 */
export function importedState(file: string, workspace: string) {
  const db = new Database(file, { readonly: true })
  const all = (sql: string, ...values: (string | number)[]) =>
    db.query(sql).all(...values) as Record<string, string | number | null | Uint8Array>[]
  const [{ pk = 0 } = {}] = all('SELECT pk FROM workspaces WHERE name = ?', workspace) as { pk: number }[]
  const paths = new Map(
    all("SELECT object, path FROM imported_files WHERE workspace = ? AND digest <> ''", pk).map(
      ({ object, path }) => [String(object), String(path)],
    ),
  )
  for (const { id, title } of all('SELECT id, title FROM notes WHERE workspace = ?', pk))
    if (!paths.has(String(id))) paths.set(String(id), `the note "${title}"`)
  const named = (text: unknown) =>
    String(text).replace(/[\da-f]{8}-[\da-f]{4}-7[\da-f-]{21}/g, (id) => paths.get(id) ?? id)
  const notes = all(
    `SELECT n.*, content FROM notes n JOIN note_bodies b ON b.note = n.pk
     WHERE workspace = ? AND deleted_at IS NULL AND id IN (SELECT object FROM imported_files)`,
    pk,
  ).map(({ pk: note, id, title, alias, content, created_at, updated_at, edited_at }) => ({
    path: named(id),
    title,
    alias,
    content: String(content).length > 10_000 ? hashOf(Buffer.from(String(content))) : named(content),
    times: [created_at, updated_at, edited_at],
    tags: all(
      'SELECT name FROM tags JOIN note_tags ON tag = id WHERE note = ? ORDER BY name',
      Number(note),
    ).map(({ name }) => name),
    properties: Object.fromEntries(
      all(
        'SELECT key, value FROM note_properties JOIN properties ON pk = property WHERE note = ? ORDER BY key',
        Number(note),
      ).map(({ key, value }) => [key, value]),
    ),
    links: all('SELECT target FROM note_links WHERE note = ? ORDER BY target', Number(note))
      .map(({ target }) => named(target))
      .sort(),
  }))
  const files = all(
    `SELECT f.*, (SELECT id FROM notes n WHERE n.pk = f.note) AS note_id FROM files f
     WHERE workspace = ? AND status <> 'removed'`,
    pk,
  ).map(({ pk: of, id, file_name, note_id, mime_type, size, created_at }) => ({
    path: named(id),
    file_name,
    note: note_id === null ? null : named(note_id),
    mime_type,
    size,
    created_at,
    bytes: hashOf(
      Buffer.concat(
        all('SELECT bytes FROM file_parts WHERE pk / 1048576 = ? ORDER BY pk', Number(of)).map(
          ({ bytes }) => bytes as Uint8Array,
        ),
      ),
    ),
  }))
  const state = {
    notes: notes.sort((left, right) => (left.path < right.path ? -1 : 1)),
    files: files.sort((left, right) => (left.path < right.path ? -1 : 1)),
    tags: all('SELECT name FROM tags WHERE workspace = ? ORDER BY name', pk).map(({ name }) => name),
    properties: all('SELECT key, label, type FROM properties WHERE workspace = ? ORDER BY key', pk),
    structures: all('SELECT name FROM structures WHERE workspace = ?', pk),
  }
  db.close()
  return state
}
