import { strictDecoder } from './decoders.ts'

/*
 * The encoding of text without a byte order mark, guessed from a sample. Libraries that detect encodings need more text
 * than a short table has: chardet 2.2.0 takes "Łódź" for Latin-1 and "東京" in Shift JIS for Windows-1252. Here every
 * candidate decodes the sample, and the one whose characters suit a language best wins.
 */

/** Languages by encoding, the more common encoding first; letters outside ASCII in the order of their frequency. */
const LETTERS: readonly (readonly [encoding: string, ...languages: string[]])[] = [
  [
    'windows-1252',
    ...['éèàêçôùûîâœïëæÿ', 'üäöß', 'óáíéñúüº¡¿ª', 'ãçáéõíóêúâôàü', 'åäöéæøü', 'àèéìòùî', 'ëéïöüèáê'],
    'ðáíóéöþúæý',
  ],
  ['windows-1250', 'íáéěýčřžšůúóťďň', 'łęóążśćńź', 'áéőöóüíúű', 'ăâîşţșț', 'áíéúýčšžľťôňóďĺŕäě', 'čšžćđ'],
  [
    'windows-1251',
    'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё',
    'оанитвреіскдлмупзяьбгйчхцїєжюшщфґ',
    'аиоенјрсувлтдкмпзбшгчжњћцљхђфџ',
  ],
  ['windows-1253', 'αοιετσνηυρπκμλςίόωάέγδήθχύφβώξζψϊ'],
  ['windows-1254', 'ıüşğçöiâîûəŞİĞÖÜÇ'],
  ['windows-1255', 'יולהראתםשמבנדעקחפגטצזסןכךץף'],
  ['windows-1256', 'المينرتوبدعسحفقكهجشصةخذطزضغئءثىأإآؤظپچژگکی'],
  ['windows-1257', 'ėšąųžįūčę', 'āšīēņžūķļģč', 'äõüöšž'],
  ['windows-1258', 'áàạảãâấầậẩẫăắằặẳẵéèẹẻẽêếềệểễíìịỉĩóòọỏõôốồộổỗơớờợởỡúùụủũưứừựửữýỳỵỷỹđ'],
  ['koi8-r', 'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё'],
  ['iso-8859-2', 'łęóążśćńź', 'íáéěýčřžšůúóťďň', 'áéőöóüíúű'],
  ['iso-8859-5', 'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё'],
  ['iso-8859-7', 'αοιετσνηυρπκμλςίόωάέγδήθχύφβώξζψϊ'],
  ['iso-8859-15', 'éèàêçôùûîâœïëæÿ'],
]

const HANS =
  '的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活别打女变四总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基书非则听白界达光放强即像难且权思王象完设式色路记南品住告类求据程北边张该交规万取格望术领共确传师观清今切院让识候带导争运姓城龄址话编号价格单位备注省县京州广李刘陈杨赵黄周吴华'
const HANT =
  '的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活別打女變四總何電數安少報才結反受目太量再感建務做接必場件計管期市直資命山金指許統區保至隊形社便空決治展馬科司五基書非則聽白界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊張該交規萬取格望姓城齡址編號價單備註省縣臺灣雄李陳林黃劉吳華'
const KANJI =
  '日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新場金員九入選立開手米力学問高代明実円関決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法不来作性的要用制治度務強気小七成期公野協取都和統以機平総加山思家話世受区領多県続進正安設保改数記院女初北午指権心界支第産結百派点教報済書府活原先共得解名交資予川向際査勝面委告文反元重近千考判認画海参売利組知案道信策集在件団別物引使求所品計感特情示変打男私各始島直両確村提運終力台広必応電争談能無再位置真流格口過局少放町常校料裁状工建語球営空職証土送供可役木身費付切由説食品南足番規鉄館宅数点品商質室村松岡種花太郎阪名前齢住所番号価格数量備考円県都府佐藤鈴渡辺'
const HANGUL =
  '이다의는에가을를은지고하기사한로도서나자어대리아정인들시그스만일해니라부수상전장제보원주조구관계선연세오면동성게과여유소중우신물실생방무공위안회경국화마모진말문비개치발영내명식김철박최강윤순희울산름번호민현준호지연락처금액품목날짜학교회사'

interface EastAsian {
  readonly encoding: string
  /** The lead and trail bytes of its frequent characters. */
  readonly leads: readonly [number, number]
  readonly common: string
}

const EAST_ASIAN: readonly EastAsian[] = [
  { encoding: 'shift_jis', leads: [0x88, 0x97], common: KANJI },
  { encoding: 'euc-jp', leads: [0xb0, 0xcf], common: KANJI },
  { encoding: 'gb18030', leads: [0xb0, 0xd7], common: HANS },
  { encoding: 'big5', leads: [0xa4, 0xc6], common: HANT },
  { encoding: 'euc-kr', leads: [0xb0, 0xc8], common: HANGUL },
]

export interface GuessedEncoding {
  readonly encoding: string
  /** Whether another encoding suits the sample almost as well, or none suits it. */
  readonly isWeak: boolean
}

const SAMPLE_BYTES = 32_768
const NEARLY = 0.12
const LEAST_SCORE = 0.35

/**
 * Guesses the encoding of bytes that are not UTF-8; undefined if they are not text. The sample may begin and end within
 * a character; it should hold as many lines with characters outside ASCII as possible.
 */
export function guessEncoding(bytes: Uint8Array): GuessedEncoding | undefined {
  if (bytes.includes(0)) return undefined
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  const scored = [
    ...LETTERS.map(([encoding, ...languages]) => ({
      encoding,
      score: (text: string) => alphabetScore(text, languages),
    })),
    ...EAST_ASIAN.map((asian) => ({
      encoding: asian.encoding,
      score: (text: string) => eastAsianScore(text, asian),
    })),
  ].flatMap(({ encoding, score }) => {
    const text = decoded(sample, encoding)
    return text === undefined ? [] : [{ encoding, text, score: score(text) }]
  })
  scored.sort((one, other) => other.score - one.score)
  const [best] = scored
  if (!best) return undefined
  const rival = scored.find(({ text }) => text !== best.text)
  const isWeak = best.score < LEAST_SCORE || (rival !== undefined && best.score - rival.score < NEARLY)
  return { encoding: best.encoding, isWeak }
}

const LINE_FEED = 0x0a

/** UTF-16 without a mark has a zero byte in every other place where the text is ASCII, and no line feed there. */
export function wideEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const sample = bytes.subarray(0, 4_096)
  let even = 0
  let odd = 0
  for (let at = 0; at < sample.length; at++) if (sample[at] === 0) at % 2 === 0 ? even++ : odd++
  const hasLineFeed = (place: 0 | 1) => sample.some((byte, at) => byte === LINE_FEED && at % 2 === place)
  if (odd > sample.length / 8 && even === 0 && !hasLineFeed(1)) return 'utf-16le'
  return even > sample.length / 8 && odd === 0 && !hasLineFeed(0) ? 'utf-16be' : undefined
}

const MAX_TRAIL = 3

/** The text, if the bytes are valid but for a character that the end of the sample splits. */
function decoded(bytes: Uint8Array, encoding: string): string | undefined {
  const decoder = strictDecoder(encoding)
  for (let cut = 0; cut <= Math.min(MAX_TRAIL, bytes.length); cut++) {
    try {
      return decoder.decode(bytes.subarray(0, bytes.length - cut))
    } catch {
      // Tries again without the last byte.
    }
  }
  return undefined
}

const OUTSIDE_ASCII = /[^\0-\x7f]/gu
const LETTER = /[\p{L}\p{M}ºª]/u
/** Quotation marks, dashes and signs that texts of every language use. */
const ORDINARY = /[\u00a0«»‘’‚“”„–—…•€£¥¢°±µ×½²³§©®™·№¿¡´]/u
const OTHER_SCRIPTS = /[\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}]/u
const UNLIKELY = /[\u0080-\u009f\u2500-\u25ff\ufffd\p{Co}]/u

/** How well the characters outside ASCII suit the best of the languages, from -1 to 1. */
function alphabetScore(text: string, languages: readonly string[]): number {
  const ranks = languages.map(
    (letters) => new Map([...letters].map((letter, at) => [letter, at / letters.length])),
  )
  const sums = languages.map(() => 0)
  let common = 0
  let count = 0
  for (const match of text.matchAll(OUTSIDE_ASCII)) {
    const [character] = match
    const before = text[match.index - 1] ?? ' '
    const after = text[match.index + 1] ?? ' '
    count++
    if (UNLIKELY.test(character)) common -= 2
    else if (!LETTER.test(character))
      common += ORDINARY.test(character) && !(LETTER.test(before) && LETTER.test(after)) ? 0.6 : -1
    else {
      const lower = character.toLowerCase()
      const isUpper = lower !== character
      if (/\d/.test(before) || /\d/.test(after)) common -= 0.5
      if (isUpper && LETTER.test(before) && before.toLowerCase() === before) common -= 1
      if (OTHER_SCRIPTS.test(character) && (/[a-z]/i.test(before) || /[a-z]/i.test(after))) common -= 1
      for (const [at, rank] of ranks.entries()) {
        const found = rank.get(lower) ?? rank.get(character)
        sums[at] = (sums[at] ?? 0) + (found === undefined ? -0.6 : (1 - 0.5 * found) * (isUpper ? 0.9 : 1))
      }
    }
  }
  return count === 0 ? 0 : (common + Math.max(...sums)) / count
}

const KANA = /[\u3041-\u30fe]/u
const EAST_ASIAN_MARKS = /[\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u

function eastAsianScore(text: string, { encoding, leads, common }: EastAsian): number {
  const frequent = new Set(common)
  const usual = new Set(charactersOf(encoding, leads))
  const isJapanese = common === KANJI
  let sum = 0
  let count = 0
  for (const match of text.matchAll(OUTSIDE_ASCII)) {
    const [character] = match
    count++
    if (frequent.has(character) || (isJapanese && KANA.test(character))) sum += 1
    else if (EAST_ASIAN_MARKS.test(character)) sum += 0.5
    else if (usual.has(character)) sum += 0.4
    else sum -= 0.8
    // A single ideograph within a Latin word is two accented letters.
    if (
      /[a-z]/i.test(text[match.index - 1] ?? '') ||
      /[a-z]/i.test(text[match.index + character.length] ?? '')
    )
      sum -= 0.4
  }
  return count === 0 ? 0 : sum / count
}

/** The characters of two bytes with these lead bytes. */
function charactersOf(encoding: string, [first, last]: readonly [number, number]): string {
  const bytes: number[] = []
  for (let lead = first; lead <= last; lead++)
    for (let trail = 0x40; trail < 0xff; trail++) if (trail !== 0x7f) bytes.push(lead, trail, 0x0a)
  return new TextDecoder(encoding as 'utf-8').decode(new Uint8Array(bytes))
}
