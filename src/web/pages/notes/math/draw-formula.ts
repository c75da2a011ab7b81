type Temml = typeof import('temml')['default']

let temml: Temml | undefined
let loading: Promise<Temml> | undefined

/** Loads the library on first use: most notes have no formula. */
async function load(): Promise<Temml> {
  loading ??= import('temml').then(({ default: loaded }) => {
    temml = loaded
    return loaded
  })
  return loading
}

/** Longer formulas stay text, because drawing them would hold up typing. */
const MAX_LENGTH = 2_000

/** Commands that define macros, with which a short formula grows to hundreds of thousands of elements. */
const DEFINITION = /\\(?:[egx]?def|(?:re)?newcommand|providecommand|(?:future)?let)(?![a-zA-Z])/
const WITH_DEFINITIONS = { maxLength: 300, maxExpand: 100 }

/** The largest size of a rule or space, in em and in points. */
const MAX_SIZE: [em: number, pt: number] = [50, 500]

const isTooLong = (text: string): boolean =>
  text.length > (DEFINITION.test(text) ? WITH_DEFINITIONS.maxLength : MAX_LENGTH)

function draw(library: Temml, element: HTMLElement, text: string, isDisplay: boolean): void {
  const drawn = document.createElement('span')
  try {
    library.render(text, drawn, {
      displayMode: isDisplay,
      throwOnError: true,
      trust: false,
      annotate: false,
      maxSize: MAX_SIZE,
      ...(DEFINITION.test(text) && { maxExpand: WITH_DEFINITIONS.maxExpand }),
    })
    // The names of labels must not take those of the application's elements.
    for (const named of drawn.querySelectorAll('[id], [href]')) {
      named.removeAttribute('id')
      named.removeAttribute('href')
    }
    element.replaceChildren(...drawn.childNodes)
  } catch (error) {
    element.title = error instanceof Error ? error.message : String(error)
  }
}

/**
 * Replaces the content of an element by a formula in MathML, at once if the library is loaded. `onDrawn` is called when
 * the element may have another size. A formula with an error stays source text.
 */
export function drawFormula(
  element: HTMLElement,
  text: string,
  isDisplay: boolean,
  onDrawn = () => {},
): void {
  const mark = isDisplay ? '$$' : '$'
  element.textContent = `${mark}${text}${mark}`
  if (isTooLong(text)) return
  if (temml) draw(temml, element, text, isDisplay)
  else
    load().then(
      (library) => {
        draw(library, element, text, isDisplay)
        onDrawn()
      },
      // The text remains.
      () => {},
    )
}
