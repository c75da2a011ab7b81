import { expect, test } from 'bun:test'
import { EncodingFinder, findEncoding } from '../../src/lib/encoding-finder.ts'
import { encodeAs } from '../support/encode.ts'

/** Short tables, as people have them; the encodings in which their text is written. */
const TABLES: readonly (readonly [text: string, ...encodings: string[]])[] = [
  ['nom;ville\nÉlodie;Besançon\nFrançois;Nîmes\n', 'windows-1252'],
  ['Name;Straße\nMüller;Große Allee\nKöhler;Am Fluß\n', 'windows-1252'],
  ['nombre;ciudad\nPeña;Málaga\nIñigo;Logroño\n', 'windows-1252'],
  ['nome;cidade\nJoão;São Paulo\nConceição;Brasília\n', 'windows-1252'],
  ['namn;ort\nÅsa;Malmö\nSöderström;Västerås\n', 'windows-1252'],
  ['price\n5 €\n12 €\n“about” 7 €\n', 'windows-1252'],
  ['imię;miasto\nŁukasz;Łódź\nWiesława;Kraków\n', 'windows-1250', 'iso-8859-2'],
  ['jméno;město\nJiří;Plzeň\nŠtěpán;České Budějovice\n', 'windows-1250'],
  ['név;város\nGyőző;Győr\nErzsébet;Székesfehérvár\nJenő;Sopron, felső út\n', 'windows-1250'],
  ['nume;oraş\nŞtefan;Braşov\nIoniţă;Timişoara\n', 'windows-1250'],
  ['имя;город\nАнна;Москва\nИван;Санкт-Петербург\n', 'windows-1251', 'koi8-r', 'iso-8859-5'],
  ["ім'я;місто\nОлексій;Київ\nЇжакевич;Харків\n", 'windows-1251'],
  ['όνομα;πόλη\nΓιώργος;Αθήνα\nΜαρία;Θεσσαλονίκη\n', 'windows-1253'],
  ['isim;şehir\nİbrahim;İstanbul\nÇağla;Muğla\n', 'windows-1254'],
  ['שם;עיר\nדוד;ירושלים\nשרה;חיפה\n', 'windows-1255'],
  ['اسم;مدينة\nأحمد;القاهرة\nفاطمة;الرياض\n', 'windows-1256'],
  ['vardas;miestas\nŽydrūnas;Šiauliai\nČeslovas;Kėdainiai\n', 'windows-1257'],
  ['名前,町,年齢\n花子,東京,30\n太郎,大阪,40\n', 'shift_jis', 'euc-jp', 'utf-16le', 'utf-16be'],
  ['商品,カナ\nりんご,リンゴ\nみかん,ミカン\n', 'shift_jis', 'euc-jp'],
  ['姓名,城市,年龄\n王小明,北京,30\n李华,上海,40\n', 'gb18030'],
  ['姓名,城市,年齡\n王小明,臺北,30\n李華,高雄,40\n', 'big5'],
  ['이름,도시,나이\n김철수,서울,30\n이영희,부산,40\n', 'euc-kr'],
]

test.each(TABLES.flatMap(([text, ...encodings]) => encodings.map((encoding) => [text, encoding] as const)))(
  'the encoding of %j is found: %s',
  (text, encoding) => {
    const found = findEncoding(encodeAs(encoding, text))
    expect(found.encoding).toBe(encoding)
    expect(found.guess).toBeDefined()
  },
)

test('UTF-8, and what a byte order mark names, is no guess', () => {
  expect(findEncoding(encodeAs('utf-8', 'née'))).toEqual({ encoding: 'utf-8' })
  expect(findEncoding(encodeAs('utf-16be', '\ufeffnée'))).toEqual({ encoding: 'utf-16be' })
  expect(findEncoding(new Uint8Array())).toEqual({ encoding: 'utf-8' })
})

test('damaged UTF-8 is not taken for another encoding', () => {
  const bytes = encodeAs('utf-8', 'Größe, Straße, Müller, naïve\n')
  expect(findEncoding(Uint8Array.from([...bytes, 0xff, 0x0a]))).toEqual({
    encoding: undefined,
    isDamaged: true,
  })
})

test('one damaged byte does not change the encoding of the parts before it', () => {
  const finder = new EncodingFinder()
  expect(finder.push(encodeAs('utf-8', 'Größe, Straße, Müller, naïve\n'))).toBeUndefined()
  expect(finder.push(Uint8Array.from([0x61, 0xe9, 0x62, 0x0a]))).toEqual({
    encoding: undefined,
    isDamaged: true,
  })
})

test('bytes that are no text have no encoding', () => {
  expect(findEncoding(Uint8Array.from([1, 0, 0, 0, 200, 0, 0, 255, 7])).encoding).toBeUndefined()
})
