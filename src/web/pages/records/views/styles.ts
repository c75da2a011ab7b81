/**
 * The look of views of rows and of charts, which comes with them: the style sheet of the application is read before
 * anything is shown.
 */
const STYLES = `@layer pages {
  [class*="hue-"] {
    --wash: light-dark(oklch(0.938 calc(0.046 * var(--c)) var(--h)), oklch(0.312 calc(0.056 * var(--c)) var(--h)));
    --tint: light-dark(oklch(0.425 calc(0.105 * var(--c)) var(--h)), oklch(0.865 calc(0.078 * var(--c)) var(--h)));
    --pale: light-dark(oklch(0.972 calc(0.02 * var(--c)) var(--h)), oklch(0.252 calc(0.026 * var(--c)) var(--h)));
    --dot: light-dark(oklch(0.63 calc(0.14 * var(--c)) var(--h)), oklch(0.68 calc(0.128 * var(--c)) var(--h)));
  }
  .hue-0 { --h: 232; --c: 0.9 }
  .hue-1 { --h: 38; --c: 1 }
  .hue-2 { --h: 112; --c: 0.85 }
  .hue-3 { --h: 8; --c: 1 }
  .hue-4 { --h: 145; --c: 0.9 }
  .hue-5 { --h: 276; --c: 1 }
  .hue-6 { --h: 70; --c: 1 }
  .hue-7 { --h: 180; --c: 0.8 }
  .hue-8 { --h: 318; --c: 1 }
  .hue-9 { --h: 75; --c: 0.14 }
  .choice-chip { padding: 0 0.4rem; border-radius: var(--r1); background: var(--wash); color: var(--tint); font-weight: 550 }
  .tile { display: inline-grid; place-items: center; flex: none; width: 1.25rem; height: 1.25rem; border-radius: var(--r1); background: var(--wash, var(--sunk)); color: var(--tint, var(--ink-2)) }
  .tile .icon { width: 0.8rem; height: 0.8rem }
  .choices { flex-wrap: wrap }
  .strip { display: grid; grid-template-columns: 13rem minmax(0, 1fr); align-items: start; gap: var(--s4); padding: var(--s3) var(--s4); border-bottom: 1px solid var(--line) }
  .strip .big { font-size: var(--t-h); line-height: 1.75rem; font-weight: 600; letter-spacing: -0.01em }
  .strip .input.bare { width: auto; max-width: 100%; padding-inline: 0; border-color: transparent; background: none; color: var(--ink-3); font-size: var(--t-s) }
  .strip > div { min-width: 0 }
  .plot { position: relative; height: 4.5rem; overflow: hidden }
  .bar-colour { position: absolute; border-top: 0 solid var(--ink-3); color: color-mix(in oklab, var(--accent) 45%, var(--paper)) }
  .numbers { font-size: var(--t-s) }
  .numbers[open] { max-height: 12rem; overflow: auto }
  .numbers summary { color: var(--ink-3); cursor: pointer }
  .row-tabs { display: flex; gap: 2px; flex: none; overflow-x: auto; padding: 0 var(--s3); border-bottom: 1px solid var(--line); scrollbar-width: thin }
  .row-tabs > a { position: relative; display: inline-flex; align-items: center; gap: 0.375rem; min-height: 2.25rem; padding: 0 0.625rem; color: var(--ink-2); text-decoration: none; white-space: nowrap }
  .row-tabs > a[aria-current] { color: var(--ink); font-weight: 600; box-shadow: inset 0 -2px var(--accent) }
  .row-tabs > .button { align-self: center; flex: none }
  .board { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(13rem, 1fr); gap: var(--s3); flex: 1; min-height: 0; overflow: auto; padding: var(--s3) var(--s4) }
  .column { display: flex; flex-direction: column; min-width: 0; min-height: 0; padding: var(--s2); border-radius: var(--r3); background: var(--pale, var(--sunk)) }
  .column > header { display: flex; align-items: center; gap: var(--s2); padding: 0 0.25rem var(--s2); font-size: var(--t-s) }
  .column > ul { display: grid; grid-template-columns: minmax(0, 1fr); align-content: start; gap: var(--s2); flex: 1; overflow: auto; margin: 0; padding: 2px; list-style: none }
  .column.over { outline: 2px dashed var(--accent); outline-offset: -2px }
  .card { display: grid; gap: 2px; min-height: 2.75rem; padding: 0.5rem 0.625rem; border-radius: var(--r2); background: var(--raised); box-shadow: 0 1px 2px rgb(0 0 0 / 0.14); color: var(--ink); text-decoration: none; overflow-wrap: anywhere; -webkit-user-drag: none; user-select: none }
  .card b { font-weight: 650 }
  .card .values { display: flex; flex-wrap: wrap; gap: 0.125rem var(--s2); color: var(--ink-2); font-size: var(--t-s) }
  .lifted { position: fixed; z-index: 9; pointer-events: none; margin: 0; box-shadow: var(--shadow); outline: 2px solid var(--accent); rotate: 2deg }
  .moving { opacity: 0.4 }
  .calendar { display: grid; grid-template-rows: auto repeat(var(--weeks), minmax(min-content, 1fr)); flex: 1; min-height: 0; overflow: auto }
  .calendar .week { display: grid; grid-template-columns: 2.25rem repeat(7, minmax(0, 1fr)); border-bottom: 1px solid var(--line) }
  .calendar .week > :first-child { padding: 0.25rem; border-inline-end: 1px solid var(--rule); color: var(--ink-3); font-size: var(--t-s); text-align: end }
  .calendar .names { position: sticky; top: 0; z-index: 1; background: var(--paper); color: var(--ink-3); font-size: var(--t-s) }
  .calendar .names > * { padding: 0.125rem 0.5rem }
  .cal-day { display: grid; grid-template-columns: minmax(0, 1fr); align-content: start; gap: 2px; min-width: 0; min-height: 5.5rem; padding: 0.125rem; border-inline-end: 1px solid var(--line) }
  .cal-day.other > .number { color: var(--ink-3); font-weight: 430 }
  .cal-day.weekend { background: color-mix(in oklab, var(--sunk) 40%, transparent) }
  .cal-day.over { outline: 2px dashed var(--accent); outline-offset: -2px }
  .cal-day .number { justify-self: start; min-width: 1.375rem; padding: 0 0.3rem; border-radius: 1rem; font-size: var(--t-s); font-weight: 600; text-align: center }
  .cal-day.today .number { background: var(--accent); color: var(--on-accent) }
  .event { display: block; min-height: 1.25rem; padding: 0 0.3125rem; overflow: hidden; border-radius: var(--r1); background: var(--wash, var(--accent-wash)); color: var(--tint, var(--accent-deep)); font-size: var(--t-s); font-weight: 500; text-decoration: none; text-overflow: ellipsis; white-space: nowrap; user-select: none; -webkit-user-drag: none }
  .event.goes-on { border-start-end-radius: 0; border-end-end-radius: 0 }
  .undated { display: flex; align-items: center; gap: var(--s2); flex: none; overflow-x: auto; padding: var(--s2) var(--s4); border-top: 1px solid var(--line) }
  .undated .dim { white-space: nowrap }
  .flipped .icon { transform: scaleX(-1) }
  .undated .event { max-width: 14rem; flex: none }
  @media (width < 45rem) {
    .board { grid-auto-columns: 82% }
    .calendar { grid-template-rows: none; grid-auto-rows: auto; align-content: start }
    .calendar .names { display: none }
    .calendar .week { grid-template-columns: minmax(0, 1fr); border: 0 }
    .calendar .week > :first-child { display: none }
    .cal-day { grid-template-columns: 3rem minmax(0, 1fr); min-height: 2.75rem; padding: var(--s1) var(--s3); border: 0; border-bottom: 1px solid var(--line) }
    .cal-day .number { grid-row: 1 }
    .cal-day > :not(.number) { grid-column: 2 }
    .cal-day.empty:not(.today) { display: none }
    .event { min-height: 2.75rem; padding-block: 0.625rem }
  }
  @media (prefers-reduced-motion: reduce) {
    .lifted { rotate: none }
  }
}`

let sheet: CSSStyleSheet | undefined

/** Adds the rules to the page, once. */
export function useViewStyles(): void {
  if (sheet) return
  sheet = new CSSStyleSheet()
  sheet.replaceSync(STYLES)
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
}
