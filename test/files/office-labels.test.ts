import { expect, test } from 'bun:test'
import { strToU8, zipSync } from 'fflate'
import { readDocument } from '../../src/files/extraction/read-document.ts'

const pack = (parts: Record<string, string>) =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, strToU8(xml)])))

const relationships = (...targets: string[]) =>
  `<Relationships>${targets.map((target, at) => `<Relationship Id="r${at + 1}" Target="${target}"/>`).join('')}</Relationships>`

test('the comments of a Word document follow its text', async () => {
  const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`
  const document = pack({
    'word/document.xml': `<w:document>${paragraph('The mill.')}</w:document>`,
    'word/comments.xml': `<w:comments><w:comment>${paragraph('Ask Ada.')}</w:comment></w:comments>`,
  })
  expect((await readDocument('docx', document)).pages).toEqual(['The mill.\n\nAsk Ada.'])
})

test('the text boxes of a sheet follow its cells', async () => {
  const box =
    '<xdr:wsDr><xdr:sp><xdr:txBody><a:p><a:r><a:t>Ask </a:t></a:r><a:r><a:t>Ada.</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:wsDr>'
  const workbook = pack({
    'xl/workbook.xml': '<workbook><sheets><sheet name="S" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relationships('worksheets/sheet1.xml'),
    'xl/worksheets/sheet1.xml':
      '<worksheet><sheetData><row><c t="str"><v>cell</v></c></row></sheetData></worksheet>',
    'xl/worksheets/_rels/sheet1.xml.rels': relationships('../drawings/drawing1.xml'),
    'xl/drawings/drawing1.xml': box,
  })
  expect((await readDocument('xlsx', workbook)).pages).toEqual(['cell\n\nAsk Ada.'])
})

test('the comments of a sheet follow its cells, wherever the program keeps them', async () => {
  const comment = (text: string) =>
    `<comments><commentList><comment ref="A1"><text><r><t>Ada:</t></r><r><t xml:space="preserve">\n${text}</t></r></text></comment></commentList></comments>`
  const sheet = (text: string) =>
    `<worksheet><sheetData><row><c t="inlineStr"><is><t>${text}</t></is></c></row></sheetData></worksheet>`
  const workbook = pack({
    'xl/workbook.xml': '<workbook><sheet name="One" r:id="r1"/><sheet name="Two" r:id="r2"/></workbook>',
    'xl/_rels/workbook.xml.rels': relationships('worksheets/sheet1.xml', 'worksheets/sheet2.xml'),
    'xl/worksheets/sheet1.xml': sheet('Store'),
    'xl/worksheets/sheet2.xml': sheet('Mill'),
    'xl/worksheets/_rels/sheet1.xml.rels': relationships('../comments1.xml'),
    'xl/worksheets/_rels/sheet2.xml.rels': relationships('/xl/comments/comment2.xml', '../missing.xml'),
    'xl/comments1.xml': comment('Too small.'),
    'xl/comments/comment2.xml': comment('Too hot.'),
  })
  expect((await readDocument('xlsx', workbook)).pages).toEqual([
    'Store\n\nAda: Too small.',
    'Mill\n\nAda: Too hot.',
  ])
})

test('the texts of charts and diagrams are on their slide, between its own and the notes', async () => {
  const shown = (text: string) => `<p:sp><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sp>`
  const cache = (...texts: string[]) =>
    `<c:strCache>${texts.map((text) => `<c:pt><c:v>${text}</c:v></c:pt>`).join('')}</c:strCache>`
  const series = (name: string) =>
    `<c:ser><c:tx>${cache(name)}</c:tx><c:cat>${cache('Spring', 'Autumn')}</c:cat><c:val><c:numCache><c:pt><c:v>4.3</c:v></c:pt></c:numCache></c:val></c:ser>`
  const talk = pack({
    'ppt/presentation.xml': '<p:presentation><p:sldId r:id="r1"/></p:presentation>',
    'ppt/_rels/presentation.xml.rels': relationships('slides/slide1.xml'),
    'ppt/slides/slide1.xml': `<p:sld>${shown('Looms')}</p:sld>`,
    'ppt/slides/_rels/slide1.xml.rels': relationships(
      '../charts/chart1.xml',
      '../diagrams/data1.xml',
      '../notesSlides/notesSlide1.xml',
    ),
    'ppt/charts/chart1.xml': `<c:chart><c:title><a:p><a:t>Cloth</a:t></a:p></c:title>${series('Silk')}${series('Wool')}</c:chart>`,
    'ppt/diagrams/data1.xml':
      '<d:dataModel><d:pt><d:t><a:p><a:r><a:t>Weave</a:t></a:r></a:p></d:t></d:pt></d:dataModel>',
    'ppt/notesSlides/notesSlide1.xml': `<p:notes>${shown('Speak slowly.')}</p:notes>`,
  })
  expect((await readDocument('pptx', talk)).pages).toEqual([
    'Looms\n\nCloth\nSilk\nSpring\nAutumn\nWool\nWeave\n\nSpeak slowly.',
  ])
})
