/** Hosts of the public internet, each in a spelling that a subscription accepts. */
export const PUBLIC_HOSTS = `
example.com  EXAMPLE.com  hooks.example.com  a.b.c.d.example.co.uk  xn--bcher-kva.example  bücher.example
my_host.example.com  3com.com  1.example.com  127.0.0.1.nip.io  10.0.0.1.example.com  localhost.example.com
not-localhost.example  example.com:8443  example.com:443  example.com:80  metadata.example.com
1.1.1.1  8.8.8.8  8.8.8.8:8443  9.255.255.255  11.0.0.0  100.63.255.255  100.128.0.0  126.255.255.255  128.0.0.1
169.253.255.255  169.255.0.0  172.15.255.255  172.32.0.0  191.255.255.255  192.0.1.0  192.0.3.0  192.88.98.1
192.167.255.255  192.169.0.0  198.17.255.255  198.20.0.0  198.51.99.255  203.0.112.255  203.0.114.0  223.255.255.255
[2606:4700:4700::1111]  [2606:4700:4700::1111]:8443  [2001:4860:4860::8888]  [2A00:1450:4001:81b::200e]
[2001:200::1]  [2003::1]  [2600::]  [2620:4f:7fff::1]  [3ffd:ffff::1]  [2400:cb00:2048:1::c629:d7a2]
`

/** Spellings that a URL parser or an operating system resolves to a non-public address, or that are unusual. */
export const CLOSED_HOSTS = `
127.0.0.1  127.0.0.1:8443  127.1  127.0.1  127.255.255.254  0177.0.0.1  0177.0.0.01  0x7f.0.0.1  0x7F.1  0x7f000001
017700000001  2130706433  2130706433:443  00000177.0.0.1  127.0.0.1.  127.0.0.0x1  127.0x1  0X7F.0.0.1  127.000.000.001
%31%32%37.0.0.1  127%2e0.0.1  １２７.0.0.1  127。0。0。1  127．0．0．1  127｡0｡0｡1  ①②⑦.⓪.⓪.①  𝟏𝟐𝟕.0.0.1  ⑫7.0.0.1
0.0.0.0  0  0x0  00  0.0  0.0.0  0.1.2.3  0.255.255.255  000.000.000.000
10.0.0.0  10.0.0.1  10.1  10.255.255.255  012.0.0.1  0xa.1  167772161  0x0a000001
100.64.0.0  100.64.0.1  100.127.255.255  100.100.100.200  1684301000
169.254.0.0  169.254.169.254  169.254.169.254.  169.254.43518  2852039166  0xa9fea9fe  0251.0376.0251.0376
0xa9.0xfe.0xa9.0xfe  169.254.169.253  169.254.170.2  169.254.255.255  168.63.129.16  0xa83f8110  2818539792
172.16.0.0  172.16.0.1  172.31.255.255  172.1048577  0254.020.0.1
192.0.0.0  192.0.0.8  192.0.0.170  192.0.0.192  192.0.2.1  192.31.196.1  192.52.193.1  192.88.99.1  192.168.0.1
192.168.1  192.168.255.255  0300.0250.0.1  0xc0a80001  3232235521  192.175.48.1
198.18.0.0  198.19.255.255  198.51.100.1  203.0.113.1  203.0.113.255
224.0.0.1  239.255.255.255  240.0.0.1  255.255.255.254  255.255.255.255  4294967295  0xffffffff  037777777777
8.8.2056  134744072  0x08.8.8.8  010.8.8.8  8.8.8.8.  %38.8.8.8
[::]  [::0]  [0:0:0:0:0:0:0:0]  [::1]  [0:0:0:0:0:0:0:1]  [::0001]  [::1]:8443  [::0.0.0.1]  [0::1]
[::127.0.0.1]  [::7f00:1]  [::8.8.8.8]  [::ffff:127.0.0.1]  [::ffff:7f00:1]  [::FFFF:10.0.0.1]  [::ffff:8.8.8.8]
[0:0:0:0:0:ffff:7f00:1]  [0:0:0:0:0:ffff:169.254.169.254]  [::ffff:0:127.0.0.1]  [::ffff:0:8.8.8.8]
[64:ff9b::127.0.0.1]  [64:ff9b::a9fe:a9fe]  [64:ff9b::8.8.8.8]  [64:ff9b:1::10.0.0.1]  [64:ff9b:1:ffff::1]
[100::1]  [100:0:0:1::1]  [2001::1]  [2001:0:4136:e378:8000:63bf:3fff:fdd2]  [2001:2::1]  [2001:3::1]
[2001:4:112::1]  [2001:10::1]  [2001:1f:ffff::1]  [2001:20::1]  [2001:2f::1]  [2001:30::1]  [2001:1ff:ffff::]
[2001:db8::1]  [2001:DB8:ffff::]  [2002:7f00:1::]  [2002:a9fe:a9fe::1]  [2002:808:808::1]  [2620:4f:8000::1]
[3ffe::1]  [3fff::1]  [3fff:fff:ffff::]  [4000::1]  [5f00::1]  [8000::1]  [fc00::1]  [fd00::1]  [fd00:ec2::254]
[fd00:ec2:0:0:0:0:0:254]  [fd20:ce::254]  [fdff:ffff::1]  [fe80::1]  [FE80::A9FE:A9FE]  [febf::1]  [fec0::1]
[feff::1]  [ff02::1]  [ff0e::1]  [ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]  [2606:4700::5efe:a00:1]
[2606:4700:0:1:0:5efe:10.0.0.1]  [2606:4700:0:1:200:5efe:a00:1]
localhost  LOCALHOST  LocalHost  localhost.  localhost:8443  foo.localhost  a.b.LOCALHOST  foo.localhost.
ｌｏｃａｌｈｏｓｔ  loc%61lhost  lo\u00adcalhost  ⓛⓞⓒⓐⓛⓗⓞⓢⓣ
metadata.google.internal  METADATA.google.internal  metadata.goog  metadata.azure.internal  instance-data.ec2.internal
metadata.google.internal.  metadata  instance-data
intranet  box  printer:631  com  example.com.  example.com..  -example.com  example-.com  a..b.com  .example.com
`

/** Texts that no URL parser accepts as a host, and that subscriptions must not accept either. */
export const IMPOSSIBLE_HOSTS = `
256.1.1.1  1.2.3.4.5  4294967296  0x100000000  127.0.0.1.1  1.2.3.08  127.0.0.0x100  [::1  ::1  [::1%25eth0]  [fe80::1%eth0]
[fe80::1%251]  [1.2.3.4]  [::g]  [:::]  [1:2:3:4:5:6:7:8:9]  [v1.x]  []  127.0.0.1%00  127.0.0.1%2f.example.com
exa%23mple.com  exa<mple.com  example.com:99999  example.com:0  example.com:-1  example.com:0x50  example.com:８０
`

/** Decodes the escape that the list uses for an invisible letter. */
const unescaped = (host: string) => host.replaceAll('\\u00ad', '\u00ad')

export const hostsOf = (list: string): string[] =>
  list
    .split(/[ \n]+/)
    .filter(Boolean)
    .map(unescaped)
