import ts from 'typescript'

/** One change of a source text that a test should notice. */
export interface Mutant {
  readonly start: number
  readonly end: number
  readonly replacement: string
  readonly line: number
  /** The first line of the mutated text, without its indentation. */
  readonly lineText: string
  /** The mutated text and its replacement, on one line. */
  readonly description: string
}

const SWAPPED = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
])

/** Whether a node is the value of a constant such as `RETRY_MS`: no test can tell a duration from one a millisecond longer. */
const isDuration = ({ parent }: ts.Node): boolean =>
  ts.isVariableDeclaration(parent) && ts.isIdentifier(parent.name) && /_MS$/.test(parent.name.text)

/** Whether a node compares with a reading of the clock, which no run has that equals the bound. */
const isTimed = (node: ts.BinaryExpression, source: ts.SourceFile): boolean =>
  [node.left, node.right].some((side) => /\b(?:monotonicMs|performance\.now)\(\)/.test(side.getText(source)))

const BOUNDS: ReadonlySet<string> = new Set(['<', '<=', '>', '>='])

/** Whether a call marks a failure point, which only tests watch. */
const isFailurePoint = ({ expression }: ts.CallExpression): boolean =>
  ts.isIdentifier(expression) && expression.text === 'reach'

/** The replacements of a node; none for most kinds. */
function replacementsOf(node: ts.Node, source: ts.SourceFile): [ts.Node, string][] {
  if (ts.isBinaryExpression(node)) {
    const swapped = SWAPPED.get(node.operatorToken.kind)
    const isText = [node.left, node.right].some(
      (side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side),
    )
    if (swapped === undefined || isText) return []
    return BOUNDS.has(swapped) && isTimed(node, source) ? [] : [[node.operatorToken, swapped]]
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword)
    return ts.isLiteralTypeNode(node.parent) ? [] : [[node, 'false']]
  if (node.kind === ts.SyntaxKind.FalseKeyword)
    return ts.isLiteralTypeNode(node.parent) ? [] : [[node, 'true']]
  if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
    const condition = ts.isIfStatement(node) ? node.expression : node.condition
    return [
      [condition, 'true'],
      [condition, 'false'],
    ]
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return [[node, node.operand.getText(source)]]
  if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression))
    return isFailurePoint(node.expression) ? [] : [[node, ';']]
  if (ts.isNumericLiteral(node) && !ts.isLiteralTypeNode(node.parent) && !isDuration(node))
    return [[node, `(${node.text} + 1)`]]
  return []
}

/**
 * Every mutant of a source text, in its order. Texts of SQL, messages, types, durations, failure points and bounds of
 * times that are read from the clock are left alone.
 */
export function mutantsOf(path: string, text: string): Mutant[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const mutants: Mutant[] = []
  const lines = text.split('\n')
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isImportDeclaration(node)) return
    for (const [target, replacement] of replacementsOf(node, source)) {
      const start = target.getStart(source)
      const line = source.getLineAndCharacterOfPosition(start).line + 1
      const original = text.slice(start, target.end).replaceAll(/\s+/g, ' ')
      const lineText = lines[line - 1]?.trim() ?? ''
      const description = `${original} → ${replacement}`
      mutants.push({ start, end: target.end, replacement, line, lineText, description })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return mutants
}

export const applied = (text: string, { start, end, replacement }: Mutant): string =>
  text.slice(0, start) + replacement + text.slice(end)
