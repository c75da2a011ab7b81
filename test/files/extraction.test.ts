import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { strToU8, zipSync } from 'fflate'
import { type Kind, kindOf, mimeTypeOf } from '../../src/files/extraction/kinds.ts'
import { FlowingText, MAX_PAGE_LENGTH, Unreadable } from '../../src/files/extraction/pages.ts'
import { readDocument } from '../../src/files/extraction/read-document.ts'
import { runs } from '../support/counts.ts'

const sample = (name: string) => Bun.file(join(import.meta.dir, 'samples', name)).bytes()
const bytes = (text: string) => new TextEncoder().encode(text)
const readText = (kind: Kind, text: string) => readDocument(kind, bytes(text))
const section = (title: string, level: number, page: number) => ({ title, level, page })

describe('a document of LibreOffice', () => {
  const HEADINGS = ['The Analytical Engine', 'The mill', '分析机'] as const

  test('Writer, as docx: paragraphs, tables and headings', async () => {
    expect(await readDocument('docx', await sample('handbook.docx'))).toEqual({
      pages: [
        `The Analytical Engine

It weaves algebraic patterns, just as the loom weaves flowers & leaves.

The mill

Four operations are done in the mill.
Part\tColumns
Store\t1000

Cards carry the operations.

分析机

分析机编织代数图案，正如织布机编织花朵和叶子。

Ça suffit: Größe, naïveté, Ελληνικά.`,
      ],
      outline: [section(HEADINGS[0], 1, 1), section(HEADINGS[1], 2, 1), section(HEADINGS[2], 1, 1)],
    })
  })

  test('Writer, as pdf: its pages and bookmarks', async () => {
    expect(await readDocument('pdf', await sample('handbook.pdf'))).toEqual({
      pages: [
        `The Analytical Engine
It weaves algebraic patterns, just as the loom weaves flowers & leaves.
The mill
Four operations are done in the mill.
Part Columns
Store 1000`,
        'Cards carry the operations.\n分析机\n分析机编织代数图案，正如织布机编织花朵和叶子。',
        'Ça suffit: Größe, naïveté, Ελληνικά.',
      ],
      outline: [section(HEADINGS[0], 1, 1), section(HEADINGS[1], 2, 1), section(HEADINGS[2], 1, 2)],
    })
  })

  test('Calc, as xlsx: its sheets, days as days and formulas as their results', async () => {
    expect(await readDocument('xlsx', await sample('accounts.xlsx'))).toEqual({
      pages: [
        'When\tWhat\tAmount\n2026-11-21\tPaper\t12.5\n2026-12-01\t\t0.1\n\t\t12.6',
        '项目\t金额\n织布机\t7',
      ],
      outline: [section('Expenses', 1, 1), section('预算', 1, 2)],
    })
  })

  test('Impress, as pptx: its slides and their titles', async () => {
    expect(await readDocument('pptx', await sample('talk.pptx'))).toEqual({
      pages: [
        'Looms and engines\nJacquard wove with cards\nBabbage computed with them',
        '织布机与分析机\n卡片承载指令',
        'A slide without a title',
      ],
      outline: [
        section('Looms and engines', 1, 1),
        section('织布机与分析机', 1, 2),
        section('Slide 3', 1, 3),
      ],
    })
  })
})

describe('text', () => {
  test.each([
    ['UTF-8', bytes('Größe 织布')],
    ['UTF-8 with a mark', new Uint8Array([0xef, 0xbb, 0xbf, ...bytes('Größe 织布')])],
    ['UTF-16 little endian', new Uint8Array([0xff, 0xfe, ...Buffer.from('Größe 织布', 'utf16le')])],
    ['UTF-16 big endian', new Uint8Array([0xfe, 0xff, ...Buffer.from('Größe 织布', 'utf16le').swap16()])],
  ])('in %s is read', async (_, encoded) => {
    expect((await readDocument('txt', encoded)).pages).toEqual(['Größe 织布'])
  })

  test('in no such encoding is Latin-1', async () => {
    expect((await readDocument('csv', new Uint8Array([0x47, 0x72, 0xf6, 0xdf, 0x65]))).pages).toEqual([
      'Größe',
    ])
  })

  test('is kept without control characters, with line feeds', async () => {
    expect((await readText('json', '{\r\n"a":\u0000 1\u0007\r}\ttab')).pages).toEqual(['{\n"a": 1\n}\ttab'])
  })

  test('that is empty is one empty page', async () => {
    for (const kind of ['txt', 'md', 'csv', 'json', 'html'] as const)
      expect(await readText(kind, '')).toEqual({ pages: [''], outline: [] })
  })
})

describe('markdown', () => {
  test('has its headings as outline, but none from fenced code', async () => {
    const text = '# One #\n\n```\n# code\n```\n\nTwo\n===\n\n### Three\ntext\n---\n- item\n---\n#none'
    const { outline, pages } = await readText('md', text)
    expect(pages).toEqual([text])
    expect(outline).toEqual([
      section('One', 1, 1),
      section('Two', 1, 1),
      section('Three', 3, 1),
      section('text', 2, 1),
    ])
  })

  test('has none from its front matter', async () => {
    const text = '---\n# comment\ntitle: One\n---\n# Two\nThree\n---'
    expect(await readText('md', text)).toEqual({
      pages: [text],
      outline: [section('Two', 1, 1), section('Three', 2, 1)],
    })
    expect((await readText('md', '---\n---\nFour\n===')).outline).toEqual([section('Four', 1, 1)])
    expect((await readText('md', '---\nFive\n\n# Six')).outline).toEqual([section('Six', 1, 1)])
  })

  test('has each heading on the page on which it stands', async () => {
    const chapters = Array.from({ length: 12 }, (_, index) => `# Chapter ${index}\n\n${'word '.repeat(300)}`)
    const { outline, pages } = await readText('md', chapters.join('\n\n'))
    expect(pages.length).toBeGreaterThan(4)
    for (const [index, { title, page }] of outline.entries()) {
      expect(title).toBe(`Chapter ${index}`)
      expect(pages[page - 1]).toMatch(new RegExp(`^# ${title}$`, 'm'))
    }
  })
})

describe('html', () => {
  test('is read as it would be shown', async () => {
    const { pages, outline } = await readText(
      'html',
      `<!doctype html><html><head><title>Hidden</title><style>p {}</style></head><body>
       <h1>One &amp; <b>only</b></h1><p>First
         paragraph<br>goes on</p><script>hidden()</script>
       <ul><li>apple<li>pear</ul><table><tr><td>a<td>b</tr><tr><th>c</th><th>d</th></tr></table>
       <pre>  two
    lines</pre><h3></h3><div>last`,
    )
    expect(pages).toEqual([
      'One & only\n\nFirst paragraph\ngoes on\n\napple\npear\n\na\tb\nc\td\n\n  two\n    lines\n\nlast',
    ])
    expect(outline).toEqual([section('One & only', 1, 1)])
  })

  test('is read without how its words are pronounced', async () => {
    const ruby = '<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</ruby>を読む'
    expect((await readText('html', ruby)).pages).toEqual(['漢字を読む'])
  })

  test('is decoded as it says', async () => {
    const page = Buffer.concat([
      Buffer.from('<meta charset="gbk"><p>'),
      Buffer.from([0xd6, 0xaf, 0xb2, 0xbc]),
    ])
    expect((await readDocument('html', page)).pages).toEqual(['织布'])
    for (const wrong of ['utf-16', 'unicode', 'none-such'])
      expect((await readText('html', `<meta charset="${wrong}"><p>织布`)).pages).toEqual(['织布'])
  })
})

const relationships = (targets: Record<string, string>) =>
  `<Relationships>${Object.entries(targets)
    .map(([id, target]) => `<Relationship Id="${id}" Target="${target}"/>`)
    .join('')}</Relationships>`

const packed = (parts: Record<string, string>) =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, strToU8(xml)])))

describe('a presentation', () => {
  const shape = (place: string, ...lines: string[]) =>
    `<p:sp><p:nvPr><p:ph type="${place}"/></p:nvPr><p:txBody>${lines
      .map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`)
      .join('')}</p:txBody></p:sp>`
  const slide = (...shapes: string[]) => `<p:sld>${shapes.join('')}</p:sld>`

  test('has the notes of each slide below its text', async () => {
    const made = packed({
      'ppt/presentation.xml': '<p:presentation><p:sldId r:id="b"/><p:sldId r:id="a"/></p:presentation>',
      'ppt/_rels/presentation.xml.rels': relationships({ a: 'slides/one.xml', b: '/ppt/slides/two.xml' }),
      'ppt/slides/one.xml': slide(shape('title', 'One'), shape('body', 'Shown')),
      'ppt/slides/two.xml': slide(shape('title', 'Two')),
      'ppt/slides/_rels/one.xml.rels': relationships({
        r1: '../slideLayouts/layout.xml',
        r2: '../notesSlides/n.xml',
      }),
      'ppt/slides/_rels/two.xml.rels': relationships({
        r1: '../../../notesSlides/n.xml',
        r2: 'https://a.b/',
      }),
      'ppt/notesSlides/n.xml': slide(
        shape('sldImg', 'image'),
        shape('body', 'Said aloud', 'and slowly'),
        shape('sldNum', '7'),
      ),
    })
    expect(await readDocument('pptx', made)).toEqual({
      pages: ['Two', 'One\nShown\n\nSaid aloud\nand slowly'],
      outline: [section('Two', 1, 1), section('One', 1, 2)],
    })
  })
})

describe('a Word document', () => {
  const paragraph = (runs: string) => `<w:p>${runs}</w:p>`
  const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`
  const body = (...runs: string[]) =>
    `<w:document><w:body>${runs.map(paragraph).join('')}</w:body></w:document>`
  const header = (text: string) => `<w:hdr>${paragraph(run(text))}</w:hdr>`

  test('has its headers and footers at the end, each once', async () => {
    const made = packed({
      'word/header1.xml': header('Secret'),
      'word/document.xml': body(run('Text')),
      'word/footnotes.xml': `<w:footnotes>${paragraph(run('Note'))}</w:footnotes>`,
      'word/header2.xml': header('Secret'),
      'word/footer1.xml': header('12'),
      'word/footer2.xml': header('Draft of May'),
    })
    expect((await readDocument('docx', made)).pages).toEqual(['Text\n\nNote\n\nDraft of May\n\nSecret'])
  })

  test('has the headings that a program uses without defining their styles', async () => {
    const styled = (style: string, text: string) => `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>${run(text)}`
    const xml = body(
      styled('Heading1', 'Mills'),
      run('Text'),
      styled('Heading2', 'Wind'),
      styled('Heading', 'x'),
    )
    const other = '<w:styles><w:style w:styleId="Heading2"><w:name w:val="Plain"/></w:style></w:styles>'
    const outlineOf = async (parts: Record<string, string>) =>
      (await readDocument('docx', packed({ 'word/document.xml': xml, ...parts }))).outline
    expect(await outlineOf({})).toEqual([section('Mills', 1, 1), section('Wind', 2, 1)])
    expect(await outlineOf({ 'word/styles.xml': other })).toEqual([section('Mills', 1, 1)])
  })

  test('is found where a program numbers its parts', async () => {
    expect((await readDocument('docx', packed({ 'word/document2.xml': body(run('Text')) }))).pages).toEqual([
      'Text',
    ])
  })

  test('has text once that was moved, or is spelt out for the tongue, and its hyphens', async () => {
    const moved = `<w:moveFrom>${run('moved')}</w:moveFrom>${run('stays')}`
    const ruby = `<w:ruby><w:rt>${run('かんじ')}</w:rt><w:rubyBase>${run('漢字')}</w:rubyBase></w:ruby>`
    const made = body(moved, `<w:moveTo>${run('moved')}</w:moveTo>`, `<w:r>${ruby}</w:r>`)
    const hyphen = body('<w:r><w:t>e</w:t><w:noBreakHyphen/><w:t>mail</w:t></w:r>')
    const read = async (xml: string) =>
      (await readDocument('docx', packed({ 'word/document.xml': xml }))).pages
    expect([await read(made), await read(hyphen)]).toEqual([['stays\n\nmoved\n\n漢字'], ['e-mail']])
  })
})

describe('flowing text', () => {
  const paragraphs = fc.array(
    fc.oneof(
      fc.string({ unit: fc.constantFrom('a', ' ', '\n', '织', '\u{1f9f5}', '.'), maxLength: 6_000 }),
      fc.lorem({ maxCount: 400 }),
    ),
    { maxLength: 8 },
  )
  const withoutSpace = (text: string) => text.replace(/\s+/g, '')

  test('is cut into pages of about 3,000 characters, and nothing is lost', () => {
    fc.assert(
      fc.property(paragraphs, (texts) => {
        const flow = new FlowingText()
        for (const text of texts) flow.block(text)
        const { pages } = flow.finish()
        expect(withoutSpace(pages.join(''))).toBe(withoutSpace(texts.join('')))
        for (const page of pages) {
          expect(page.length).toBeLessThanOrEqual(3_600)
          expect(page.isWellFormed()).toBe(true)
        }
      }),
      { numRuns: runs(15, 500) },
    )
  })

  test('is cut at a paragraph, else at a line, a sentence, a word', () => {
    const cut = (text: string) => {
      const flow = new FlowingText()
      flow.block(text)
      return flow.finish().pages
    }
    const half = 'word '.repeat(500).trim()
    expect(cut(`${half}\n\n${half}`)).toEqual([half, half])
    expect(cut(`${half}\n${half}`)).toEqual([half, half])
    expect(cut(`${half}. ${half}`)).toEqual([`${half}.`, half])
    expect(cut('word '.repeat(1_000)).every((page) => /^(word ?)+$/.test(page))).toBe(true)
  })
})

describe('a document without pages', () => {
  const slideless = zipSync({
    'ppt/presentation.xml': strToU8('<presentation/>'),
    'ppt/_rels/presentation.xml.rels': strToU8('<Relationships/>'),
  })
  const sheetless = zipSync({
    'xl/workbook.xml': strToU8('<workbook><sheets/></workbook>'),
    'xl/_rels/workbook.xml.rels': strToU8('<Relationships/>'),
  })

  test.each([
    ['a presentation', 'pptx', slideless],
    ['a workbook', 'xlsx', sheetless],
  ] as const)('as %s, has one that is empty', async (_, kind, made) => {
    expect(await readDocument(kind, made)).toEqual({ pages: [''], outline: [] })
  })
})

/** A workbook with one sheet of these cells. */
const workbook = (sheet: string, styles = '') =>
  zipSync({
    'xl/workbook.xml': strToU8('<workbook><sheets><sheet name="S" r:id="r1"/></sheets></workbook>'),
    'xl/_rels/workbook.xml.rels': strToU8(
      '<Relationships><Relationship Id="r1" Target="worksheets/s.xml"/></Relationships>',
    ),
    'xl/styles.xml': strToU8(`<styleSheet>${styles}</styleSheet>`),
    'xl/worksheets/s.xml': strToU8(`<worksheet><sheetData>${sheet}</sheetData></worksheet>`),
  })

describe('a sheet', () => {
  test('shows numbers, days, times, texts and yes or no', async () => {
    const styles = `<numFmts><numFmt numFmtId="164" formatCode="yyyy-mm-dd hh:mm"/>
      <numFmt numFmtId="165" formatCode="0.00 &quot;days&quot;"/></numFmts>
      <cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="20"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs>`
    const row = [
      '<c r="A1"><v>0.30000000000000004</v></c>',
      '<c r="B1" s="1"><v>46347</v></c>',
      '<c r="C1" s="2"><v>0.75</v></c>',
      '<c r="D1" s="3"><v>46347.5</v></c>',
      '<c r="E1" s="4"><v>3</v></c>',
      '<c r="G1" t="b"><v>1</v></c>',
      '<c r="H1" t="inlineStr"><is><t>in line</t></is></c>',
      '<c r="I1" t="str"><f>A1</f><v>result</v></c>',
      '<c r="J1" s="1"><v>59</v></c>',
    ]
    expect((await readDocument('xlsx', workbook(`<row>${row.join('')}</row>`, styles))).pages).toEqual([
      '0.3\t2026-11-21\t18:00:00\t2026-11-21 12:00:00\t3\t\tTRUE\tin line\tresult\t1900-02-28',
    ])
  })

  test('shows durations with all their hours', async () => {
    const styles = `<numFmts><numFmt numFmtId="164" formatCode="[h]:mm"/><numFmt numFmtId="165" formatCode="[Red]h:mm"/></numFmts>
      <cellXfs><xf numFmtId="46"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs>`
    const cells = [0, 1, 2].map((style) => `<c s="${style}"><v>1.50001157407407</v></c>`)
    expect((await readDocument('xlsx', workbook(`<row>${cells.join('')}</row>`, styles))).pages).toEqual([
      '36:00:01\t36:00:01\t12:00:01',
    ])
  })

  test('that is very long goes on as the next page', async () => {
    const row = `<row><c t="inlineStr"><is><t>${'x'.repeat(99)}</t></is></c></row>`
    const { pages, outline } = await readDocument('xlsx', workbook(row.repeat(2_500)))
    expect(pages.map((page) => page.length)).toEqual([99_999, 99_999, 49_999])
    expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(MAX_PAGE_LENGTH)
    expect(outline).toEqual([section('S', 1, 1)])
  })
})

describe('the kind of a file', () => {
  test.each([
    ['a.TXT', 'x', 'txt'],
    ['a.md', 'x', 'md'],
    ['a.pdf', 'not a pdf', 'pdf'],
    ['a.txt', 'a\0b', undefined],
    ['a', 'plain', 'txt'],
    ['a', ' <!DOCTYPE html><p>', 'html'],
    ['a.bin', '%PDF-1.7', 'pdf'],
    ['a.unknown', 'PK\u0003\u0004 word/document.xml', 'docx'],
    ['a.zip', 'PK\u0003\u0004 other', undefined],
    ['a.png', '\u0089PNG\0', undefined],
    ['constructor', 'x\0', undefined],
    ['a.constructor', 'x', 'txt'],
  ] as const)('%p with %p is %p', (name, content, kind) => {
    expect(kindOf(name, bytes(content))).toBe(kind as Kind)
  })

  test('does not decide its media type, which the name does', () => {
    expect(['a.pdf', 'a.txt', 'a', 'a.docx'].map(mimeTypeOf)).toEqual([
      'application/pdf',
      'text/plain',
      'application/octet-stream',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ])
  })
})

describe('what cannot be read is refused with a sentence', () => {
  const broken = 'The file is not a whole document of its kind, or it is protected by a password.'
  test.each([
    ['garbage', 'docx', bytes('garbage'), broken],
    ['a package of another kind', 'pptx', workbook(''), broken],
    [
      'a part that is cut off',
      'docx',
      zipSync({ 'word/document.xml': strToU8('<w:document><w:p>') }),
      broken,
    ],
    [
      'entities of its own',
      'docx',
      zipSync({ 'word/document.xml': strToU8('<!DOCTYPE x [<!ENTITY a "b">]><w:document>&a;</w:document>') }),
      broken,
    ],
    [
      'a bomb',
      'docx',
      zipSync({ 'word/document.xml': new Uint8Array(136_000_000) }),
      'The file unpacks to more than 128 MiB.',
    ],
    [
      'too much text',
      'txt',
      new Uint8Array(20_000_001).fill(0x61),
      'The file holds more than 20,000,000 characters of text.',
    ],
    ['a torn PDF', 'pdf', bytes('%PDF-1.7\n'), 'The file is not a whole PDF document.'],
  ] as const)('%s', async (_, kind, content, sentence) => {
    await expect(readDocument(kind, content)).rejects.toEqual(new Unreadable(sentence))
  })
})

describe('Rich Text', () => {
  test.each([
    [
      'a code page and a Unicode character',
      "{\\rtf1\\ansi\\ansicpg1252 Caf\\'e9 \\b bold\\b0\\par Second line \\u8364?}",
      'Café bold\nSecond line €',
    ],
    [
      'a font of another character set',
      "{\\rtf1\\ansi{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset204 Arial;}}\\f1\\'cf\\'f0\\'e8\\f0  hi}",
      'При hi',
    ],
    ['double bytes', "{\\rtf1\\ansi{\\fonttbl{\\f0\\fcharset128 MS;}}\\f0\\'93\\'fa\\'96\\'7b}", '日本'],
    [
      'skipped destinations and hidden text',
      '{\\rtf1{\\*\\generator X;}{\\info{\\title T}}{\\pict ffd8}a{\\v hidden}b\\bin3 }}}c}',
      'abc',
    ],
    [
      'tables, tabs and signs',
      '{\\rtf1 a\\cell b\\cell\\row c\\tab d\\emdash e\\~f\\{g\\}}',
      'a\tb\nc\td—e\u00a0f{g}',
    ],
    ['substitutes of several characters', '{\\rtf1\\uc2 \\u8364ab x}', '€ x'],
  ])('with %s', async (_, source, text) => {
    const rtf = Buffer.from(source, 'latin1')
    expect(kindOf('a.rtf', rtf)).toBe('rtf')
    expect(kindOf('a.doc', rtf)).toBe('rtf')
    expect((await readDocument('rtf', rtf)).pages).toEqual([text])
  })
})

describe('a PDF form', () => {
  /** Objects as a PDF document; the reader repairs the missing table of objects. */
  const pdf = (...objects: string[]) =>
    bytes(
      `%PDF-1.7\n${objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`).join('')}trailer <</Root 1 0 R>>\n%%EOF`,
    )
  const widget = (fields: string) => `<</Type/Annot/Subtype/Widget/Rect[10 10 90 30]/P 3 0 R ${fields}>>`

  test('has the answers of its fields, and texts typed onto the page', async () => {
    const document = pdf(
      '<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R 5 0 R 6 0 R 7 0 R 9 0 R]>>>>',
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Annots[4 0 R 5 0 R 6 0 R 7 0 R 8 0 R 9 0 R]>>',
      widget('/FT/Tx/T(name)/V(Ada Filledin)'),
      widget('/FT/Ch/Ff 131072/T(town)/Opt[[(g)(Grazville)][(l)(Linzville)]]/V(l)'),
      widget('/FT/Tx/T(hidden)/F 2/V(Unseen)'),
      widget('/FT/Tx/Ff 8192/T(password)/V(secret)'),
      '<</Type/Annot/Subtype/FreeText/Rect[10 40 90 60]/Contents(Typed by hand)/DA(/Helv 12 Tf)>>',
      widget('/FT/Tx/T(parent)/V(Inherited)'),
    )
    expect((await readDocument('pdf', document)).pages).toEqual([
      'Ada Filledin\nLinzville\nTyped by hand\nInherited',
    ])
  })
})
