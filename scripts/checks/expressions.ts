/** Refuses regular expressions whose time grows faster than their input: one hostile line would stop the server or a tab. */
import { Glob } from 'bun'
import { analyse, type Report } from 'scslre'
import ts from 'typescript'

const CAUSES: Record<Report['type'], string> = {
  Trade: 'two of its repetitions match the same characters',
  Self: 'one of its repetitions can be divided in many ways',
  Move: 'it begins again at each character of what one repetition has passed over',
}

/**
 * What of an expression takes more than linear time. For repetitions that give characters back, any suffix is assumed
 * not to match, which finds the most; for those that begin again only one that the expression can reject.
 */
function causesOf(literal: ts.RegularExpressionLiteral): string[] {
  const end = literal.text.lastIndexOf('/')
  const expression = { source: literal.text.slice(1, end), flags: literal.text.slice(end + 1) }
  const returning = analyse(expression, { assumeRejectingSuffix: true, reportTypes: { Move: false } })
  const moving = analyse(expression, { reportTypes: { Trade: false, Self: false } })
  const reports = [...returning.reports, ...moving.reports]
  return reports.map(({ type, character }) => `${CAUSES[type]} (${JSON.stringify(character.pick)})`)
}

function listFindings(path: string, text: string): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest)
  const findings: string[] = []
  const visit = (node: ts.Node) => {
    if (ts.isRegularExpressionLiteral(node)) {
      const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1
      for (const cause of causesOf(node)) findings.push(`${path}:${line}: ${node.text}: ${cause}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return findings
}

const findings: string[] = []
for (const path of new Glob('{src,scripts}/**/*.{ts,tsx,js}').scanSync())
  findings.push(...listFindings(path, await Bun.file(path).text()))
for (const finding of findings.sort()) process.stderr.write(`${finding}\n`)
process.exit(findings.length === 0 ? 0 : 1)
