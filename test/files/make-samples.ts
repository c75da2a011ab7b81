/**
 * Creates the samples written by other programs, with LibreOffice (Debian: `apt-get install --no-install-recommends
 * libreoffice-writer libreoffice-calc libreoffice-impress fonts-noto-cjk`): `bun test/files/make-samples.ts`. The
 * repository contains the samples, so this is needed only to change them.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnSync } from 'bun'

const NAMESPACES = `office:version="1.3"
  xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
  xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
  xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
  xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
  xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"
  xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0"
  xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0"
  xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"
  xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2"
  xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"`

const flat = (kind: string, styles: string, body: string, more = '') =>
  `<?xml version="1.0" encoding="UTF-8"?>
<office:document ${NAMESPACES} office:mimetype="application/vnd.oasis.opendocument.${kind}">
${more}<office:automatic-styles>${styles}</office:automatic-styles>
<office:master-styles><style:master-page style:name="Default" style:page-layout-name="Page"/></office:master-styles><office:body>${body}</office:body></office:document>`

const paragraph = (text: string) => `<text:p>${text}</text:p>`
const heading = (level: number, text: string) => `<text:h text:outline-level="${level}">${text}</text:h>`
const row = (cells: string[]) =>
  `<table:table-row>${cells.map((cell) => `<table:table-cell>${paragraph(cell)}</table:table-cell>`).join('')}</table:table-row>`

/** A document of three pages. */
const handbook = flat(
  'text',
  `<style:style style:name="NewPage" style:family="paragraph" style:parent-style-name="Standard">
     <style:paragraph-properties fo:break-before="page"/></style:style>`,
  `<office:text>
  ${heading(1, 'The Analytical Engine')}
  ${paragraph('It weaves algebraic patterns, just as the loom weaves flowers &amp; leaves.')}
  ${heading(2, 'The mill')}
  ${paragraph('Four operations are done in the mill.')}
  <table:table><table:table-column table:number-columns-repeated="2"/>
  ${row(['Part', 'Columns'])}${row(['Store', '1000'])}</table:table>
  <text:p text:style-name="NewPage">Cards carry the operations.</text:p>
  ${heading(1, '分析机')}
  ${paragraph('分析机编织代数图案，正如织布机编织花朵和叶子。')}
  <text:p text:style-name="NewPage">Ça suffit: Größe, naïveté, Ελληνικά.</text:p>
  </office:text>`,
)

const dateCell = (date: string) =>
  `<table:table-cell table:style-name="Day" office:value-type="date" office:date-value="${date}"/>`
const numberCell = (value: number) => `<table:table-cell office:value-type="float" office:value="${value}"/>`
const textCell = (text: string) =>
  `<table:table-cell office:value-type="string">${paragraph(text)}</table:table-cell>`

const accounts = flat(
  'spreadsheet',
  `<number:date-style style:name="N1"><number:year number:style="long"/><number:text>-</number:text>
     <number:month number:style="long"/><number:text>-</number:text><number:day number:style="long"/></number:date-style>
   <style:style style:name="Day" style:family="table-cell" style:data-style-name="N1"/>`,
  `<office:spreadsheet>
  <table:table table:name="Expenses">
    <table:table-row>${textCell('When')}${textCell('What')}${textCell('Amount')}</table:table-row>
    <table:table-row>${dateCell('2026-11-21')}${textCell('Paper')}${numberCell(12.5)}</table:table-row>
    <table:table-row>${dateCell('2026-12-01')}<table:table-cell/>${numberCell(0.1)}</table:table-row>
    <table:table-row><table:table-cell/><table:table-cell/>
      <table:table-cell table:formula="of:=SUM([.C2:.C3])" office:value-type="float" office:value="12.6"/></table:table-row>
  </table:table>
  <table:table table:name="预算">
    <table:table-row>${textCell('项目')}${textCell('金额')}</table:table-row>
    <table:table-row>${textCell('织布机')}${numberCell(7)}</table:table-row>
  </table:table>
  </office:spreadsheet>`,
)

const frame = (kind: 'title' | 'outline', y: number, paragraphs: string[]) =>
  `<draw:frame presentation:class="${kind}" presentation:style-name="${kind}" presentation:user-transformed="true" svg:x="1cm" svg:y="${y}cm" svg:width="24cm" svg:height="3cm">
   <draw:text-box>${paragraphs.map(paragraph).join('')}</draw:text-box></draw:frame>`

const talk = flat(
  'presentation',
  `<style:style style:name="title" style:family="presentation" style:parent-style-name="Default-title"/>
   <style:style style:name="outline" style:family="presentation" style:parent-style-name="Default-outline1"/>
   <style:page-layout style:name="Page"><style:page-layout-properties fo:page-width="28cm" fo:page-height="21cm"/></style:page-layout>`,
  `<office:presentation>
  <draw:page draw:master-page-name="Default" presentation:presentation-page-layout-name="Both" draw:name="one">${frame('title', 1, ['Looms and engines'])}
    ${frame('outline', 6, ['Jacquard wove with cards', 'Babbage computed with them'])}</draw:page>
  <draw:page draw:master-page-name="Default" presentation:presentation-page-layout-name="Both" draw:name="two">${frame('title', 1, ['织布机与分析机'])}${frame('outline', 6, ['卡片承载指令'])}</draw:page>
  <draw:page draw:master-page-name="Default" presentation:presentation-page-layout-name="Both" draw:name="three">${frame('outline', 6, ['A slide without a title'])}</draw:page>
  </office:presentation>`,
  `<office:styles><style:presentation-page-layout style:name="Both">
     <presentation:placeholder presentation:object="title" svg:x="1cm" svg:y="1cm" svg:width="24cm" svg:height="3cm"/>
     <presentation:placeholder presentation:object="outline" svg:x="1cm" svg:y="6cm" svg:width="24cm" svg:height="9cm"/>
   </style:presentation-page-layout></office:styles>`,
)

const SAMPLES = [
  { source: 'handbook.fodt', text: handbook, formats: ['docx', 'pdf'] },
  { source: 'accounts.fods', text: accounts, formats: ['xlsx'] },
  { source: 'talk.fodp', text: talk, formats: ['pptx'] },
]

const folder = mkdtempSync(join(tmpdir(), 'daybook-samples-'))
for (const { source, text, formats } of SAMPLES) {
  const path = join(folder, source)
  await Bun.write(path, text)
  for (const format of formats) {
    const command = ['soffice', '--headless', `-env:UserInstallation=file://${folder}/profile`]
    const { success } = spawnSync([
      ...command,
      '--convert-to',
      format,
      '--outdir',
      join(import.meta.dir, 'samples'),
      path,
    ])
    if (!success) throw new Error(`LibreOffice did not make ${format} of ${source}`)
  }
}
rmSync(folder, { recursive: true, force: true })
