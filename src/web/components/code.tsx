const MOST_ROWS = 18

/** A text to read or copy as it is; it scrolls by itself, also with the keyboard. */
export const Code = ({ label, text }: { label: string; text: string }) => (
  <textarea
    class="code-box"
    aria-label={label}
    readOnly
    wrap="off"
    spellcheck={false}
    rows={Math.min(text.split('\n').length, MOST_ROWS)}
    value={text}
  />
)
