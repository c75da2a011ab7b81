const LINES = [
  ['08:20', 'The second round is mixed, 2 kg.'],
  ['08:45', 'Unload the kiln', 'done'],
  ['09:02', 'Wax the feet, 4 mm up', 'open'],
  ['09:12', 'Thrown, all eight.'],
] as const

/** A decorative page of a daybook beside the form, on wide screens. */
export const Art = ({ now }: { now: string }) => (
  <div class="art" aria-hidden="true">
    <div class="art-page under" />
    <div class="art-page">
      <strong>Today</strong>
      {LINES.map(([time, text, task]) => (
        <p key={time}>
          <time>{time}</time>
          {task !== undefined && <i class={task} />}
          <span class={task}>{text}</span>
        </p>
      ))}
      <p>
        <time class="now">{now}</time>
        <i class="caret" />
      </p>
    </div>
  </div>
)
