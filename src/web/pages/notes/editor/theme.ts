import { EditorView } from '@codemirror/view'

/** Indents of nested list items, by level. */
const LEVELS = Object.fromEntries(
  [2, 3, 4, 5, 6, 7, 8].map((level) => [
    `.cm-line.md-level-${level}`,
    { paddingInlineStart: `${1.5 * level}em` },
  ]),
)

/** The editor's theme. It is not in a style sheet, because CodeMirror's own styles would override one. */
export const theme = EditorView.theme({
  '&': { background: 'none', font: 'inherit', color: 'inherit' },
  '&.cm-focused': { outline: 'none' },
  // With room for the initials and hours in the margin, which the scroller would cut off.
  '.cm-scroller': {
    fontFamily: 'inherit',
    lineHeight: 'inherit',
    marginInlineStart: 'calc(-1 * var(--in-margin, 2.75rem))',
    paddingInlineStart: 'var(--in-margin, 2.75rem)',
  },
  '.cm-content': { minHeight: '12rem', padding: '0', caretColor: 'var(--accent)' },
  '.cm-line': { padding: '0' },
  '.cm-line.md-h': { paddingBlockStart: 'var(--s4)' },
  '.cm-line.md-quoted': { paddingInlineStart: 'var(--s3)' },
  '.cm-line.md-code-line': { paddingInline: 'var(--s3)' },
  '.cm-line.md-row': { display: 'flex', overflow: 'hidden', contain: 'inline-size' },
  '.cm-line.md-fence-end': { height: '0.5rem', overflow: 'hidden' },
  '.cm-line.md-formula-rest': { height: '0', overflow: 'hidden' },
  '.cm-line.md-item': { paddingInlineStart: '1.5em', textIndent: '-1.5em' },
  ...LEVELS,
  '.cm-line.md-quoted.md-item': { paddingInlineStart: 'calc(1.5em + var(--s3))' },
  '.cm-line.md-callout-first': { paddingBlockStart: 'var(--s2)' },
  '.cm-line.md-callout-last': { paddingBlockEnd: 'var(--s2)' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '.cm-tooltip': {
    border: '0',
    borderRadius: 'var(--r3)',
    background: 'var(--raised)',
    boxShadow: 'var(--shadow-3)',
    color: 'var(--ink)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete': { padding: 'var(--s1)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    minWidth: '16rem',
    maxHeight: 'min(19rem, 45vh)',
    fontFamily: 'var(--font-ui)',
    fontSize: 'var(--t-m)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    alignItems: 'center',
    gap: 'var(--s4)',
    minHeight: 'var(--row)',
    padding: 'var(--s1) var(--s2)',
    borderRadius: 'var(--r2)',
    lineHeight: 'var(--leading)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--accent-wash)',
    color: 'var(--ink)',
  },
  '.cm-completionDetail': { marginInlineStart: 'auto', fontStyle: 'normal', color: 'var(--ink-3)' },
  '.cm-panels': { borderColor: 'var(--line)', background: 'var(--ground)', color: 'var(--ink)' },
})
