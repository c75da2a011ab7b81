import { expect, test } from 'bun:test'
import { Glob } from 'bun'
import { analyse, type Report } from 'scslre'
import ts from 'typescript'

const CAUSES: Record<Report['type'], string> = {
  Trade: 'two of its repetitions match the same characters',
  Self: 'one of its repetitions can be divided in many ways',
  Move: 'it begins again at each character of what one repetition has passed over',
}

/**
 * Returns the parts of an expression that take more than linear time. For repetitions that backtrack, any suffix is
 * assumed not to match, which finds the most. Restarted repetitions count only with a suffix that the expression can
 * reject.
 */
function causesOf(literal: string): string[] {
  const end = literal.lastIndexOf('/')
  const expression = { source: literal.slice(1, end), flags: literal.slice(end + 1) }
  const returning = analyse(expression, { assumeRejectingSuffix: true, reportTypes: { Move: false } })
  const moving = analyse(expression, { reportTypes: { Trade: false, Self: false } })
  const reports = [...returning.reports, ...moving.reports]
  return reports.map(({ type, character }) => `${CAUSES[type]} (${JSON.stringify(character.pick)})`)
}

function findingsIn(path: string, text: string): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest)
  const findings: string[] = []
  const visit = (node: ts.Node) => {
    if (ts.isRegularExpressionLiteral(node)) {
      const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1
      for (const cause of causesOf(node.text)) findings.push(`${path}:${line}: ${node.text}: ${cause}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return findings
}

test('the test detects a regular expression of more than linear time', () => {
  expect(findingsIn('a.ts', 'const linear = /^a+b/\nconst slow = /^(?:a+)+$/\nconst moving = /a+$/')).toEqual(
    [expect.stringContaining('a.ts:2: /^(?:a+)+$/'), expect.stringContaining('a.ts:3: /a+$/')],
  )
})

test('no regular expression takes more than linear time: one hostile line would stop the server or a tab', async () => {
  const findings: string[] = []
  for (const path of new Glob('{src,scripts}/**/*.{ts,tsx,js}').scanSync())
    findings.push(...findingsIn(path, await Bun.file(path).text()))
  expect(findings.sort()).toEqual([])
})
