import { type Pdfium, readText } from './pdf.ts'

/* Texts that viewers show on a page beside its content: the answers in a form, and text that was typed onto the page. */

const [FREE_TEXT, WIDGET] = [3, 20]
/** Hidden, or not to be shown. */
const HIDDEN = 2 | 32
const [CHECKBOX, RADIO_BUTTON, COMBO_BOX, LIST_BOX, TEXT_FIELD] = [2, 3, 4, 5, 6]
const PASSWORD = 1 << 13
/** More are those of a damaged file. */
const MAX_ANNOTATIONS = 20_000
const MAX_OPTIONS = 10_000
/** Values of marks that name no answer. */
const ANY_MARK = /^(?:yes|on|off|true|checked|\d+)?$/i

/** Opens the form of a document; 0 without one. */
export function openForm(library: Pdfium, document: number): number {
  return library.PDFiumExt_InitFormFillEnvironment(document, library.PDFiumExt_OpenFormFillInfo())
}

interface Place {
  readonly library: Pdfium
  readonly form: number
  readonly annotation: number
}

/** The texts of a page's annotations, in their order. */
export function annotationTexts(library: Pdfium, page: number, form: () => number): string[] {
  const count = Math.min(library.FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS)
  const texts: string[] = []
  for (let index = 0; index < count; index++) {
    const annotation = library.FPDFPage_GetAnnot(page, index)
    if (annotation === 0) continue
    const subtype = library.FPDFAnnot_GetSubtype(annotation)
    if ((library.FPDFAnnot_GetFlags(annotation) & HIDDEN) === 0) {
      if (subtype === FREE_TEXT) texts.push(contentsOf(library, annotation))
      if (subtype === WIDGET) texts.push(...answersIn({ library, form: form(), annotation }))
    }
    library.FPDFPage_CloseAnnot(annotation)
  }
  return texts.filter((text) => text.trim() !== '')
}

function contentsOf(library: Pdfium, annotation: number): string {
  const bytes = library.FPDFAnnot_GetStringValue(annotation, 'Contents', 0, 0)
  return readText(library, bytes, (at) => library.FPDFAnnot_GetStringValue(annotation, 'Contents', at, bytes))
}

function answersIn(place: Place): string[] {
  const { library, form, annotation } = place
  const type = form === 0 ? 0 : library.FPDFAnnot_GetFormFieldType(form, annotation)
  if (type === COMBO_BOX || type === LIST_BOX) {
    const chosen = chosenLabels(place)
    return chosen.length > 0 ? chosen : [fieldValue(place)]
  }
  if (type === CHECKBOX || type === RADIO_BUTTON) {
    const value = library.FPDFAnnot_IsChecked(form, annotation) ? fieldValue(place) : ''
    return ANY_MARK.test(value.trim()) ? [] : [value]
  }
  const isSecret = (library.FPDFAnnot_GetFormFieldFlags(form, annotation) & PASSWORD) !== 0
  return type === TEXT_FIELD && !isSecret ? [fieldValue(place)] : []
}

function fieldValue({ library, form, annotation }: Place): string {
  const bytes = library.FPDFAnnot_GetFormFieldValue(form, annotation, 0, 0)
  return readText(library, bytes, (at) => library.FPDFAnnot_GetFormFieldValue(form, annotation, at, bytes))
}

function chosenLabels({ library, form, annotation }: Place): string[] {
  const labels: string[] = []
  const count = Math.min(library.FPDFAnnot_GetOptionCount(form, annotation), MAX_OPTIONS)
  for (let option = 0; option < count; option++) {
    if (!library.FPDFAnnot_IsOptionSelected(form, annotation, option)) continue
    const bytes = library.FPDFAnnot_GetOptionLabel(form, annotation, option, 0, 0)
    labels.push(
      readText(library, bytes, (at) => library.FPDFAnnot_GetOptionLabel(form, annotation, option, at, bytes)),
    )
  }
  return labels
}
