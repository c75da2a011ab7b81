const MAX_ROWS = 18

/** Read-only text to copy. It scrolls on its own, with the keyboard too. */
export const Code = ({ label, text }: { label: string; text: string }) => (
  <textarea
    class="code-box"
    aria-label={label}
    readOnly
    wrap="off"
    spellcheck={false}
    rows={Math.min(text.split('\n').length, MAX_ROWS)}
    value={text}
  />
)
