//! The words in hosts, paths, queries and rules. All of them are made up or everyday words.

use crate::text::{Word, words};

/// Topics of sites: the first part of many host names.
pub static TOPICS: [Word; 48] = words(
    "shop news blog forum wiki recipes garden music travel photo books radio sport health school \
     library museum city weather market games film art science cars bikes hotel tickets jobs maps \
     fashion shoes tools coffee tea bakery cycling chess poetry theatre nature history letters \
     gazette archive studio online club",
);

/// Subdomains.
pub static SUBDOMAINS: [Word; 12] = words("blog. shop. m. en. de. fr. news. docs. forum. store. static. support.");

/// Reserved suffixes (RFC 2606 and RFC 6761): none of these names can ever be a real host.
pub static SUFFIXES: [Word; 8] =
    words(".example .example .example .test .example.com .example.net .example.org .invalid");

/// Consonants and vowels, for syllables.
pub static CONSONANTS: &[u8; 20] = b"bcdfghjklmnpqrstvwxz";
/// See [`CONSONANTS`].
pub static VOWELS: &[u8; 5] = b"aeiou";

/// First path segments of ordinary pages.
pub static SECTIONS: [Word; 64] = words(
    "news blog products product shop category articles article story events about community \
     threads topics tag tags author people gallery photos video videos reviews guides guide help \
     support docs wiki recipes places hotels jobs courses books music films games sports science \
     culture politics economy travel food health garden style tech local world opinion archive en \
     de fr es item catalog collections brands offers magazine forum",
);

/// First path segments that sites often keep robots out of.
pub static KEPT_OUT: [Word; 64] = words(
    "admin cgi-bin cart checkout account login logout register search private tmp cache includes \
     install modules plugins themes scripts profile profiles user users wishlist compare order \
     orders basket print preview draft drafts api ajax feed feeds trackback comments reply \
     session sessions stats logs backup config core vendor lib assets media-tmp redirect out go \
     click track tell-a-friend mailto newsletter unsubscribe password staging beta test old \
     export",
);

/// Words of slugs, file names and deeper directories.
pub static WORDS: [Word; 160] = words(
    "amber apple april atlas autumn bamboo basket beach bell berry birch bird blue boat bread \
     bridge bright brook brown button cabin camera candle canvas castle cedar chair cherry circle \
     clay clear cloud coast colour copper corner cotton cream crown dawn deep desk door dragon \
     dream drum early earth east edge evening fair family feather fern field fire first flag \
     flower forest fox fresh friend frost garden gift glass gold grand grass green grey harbour \
     hat hill home honey horse house island ivory jacket journey juniper kettle kitchen lake lamp \
     large last leaf leather lemon letter light lily linen little long maple march marble meadow \
     mill mirror modern moon morning moss mountain narrow new night north oak ocean olive orange \
     orchard paper path pearl pepper pine plain plum pocket pond purple quiet rain red ribbon \
     river road rose round sail salt sand sea shade shell silk silver small snow south spring \
     star stone summer table tower valley west willow winter yellow",
);

/// Names of query parameters.
pub static PARAMETERS: [Word; 32] = words(
    "id page sort order q ref lang color size view cat tag price brand limit offset filter \
     utm_source utm_medium session sid print format date from to dir mode p s type replytocom",
);

/// Scripts that take a query.
pub static SCRIPTS: [Word; 12] = words(
    "index.php view.php show.php item.php viewtopic.php search.php list.php product.php \
     article.php page.php download.php print.php",
);

/// Extensions of pages and files, most of them pages.
pub static EXTENSIONS: [Word; 12] = words(".html .html .html .html .htm .php .php .pdf .pdf .jpg .xml .aspx");

/// Escaped words: unreserved, reserved, UTF-8, upper and lower case digits.
pub static ESCAPED: [Word; 10] =
    words("caf%C3%A9 %7Ejoe a%20b gr%C3%BCn r%c3%a9sum 50%25-off x%2Fy q%26a %C3%9Cbung no%2a1");

/// Words that appear in URLs as raw UTF-8.
pub static RAW: [Word; 4] = words("café grün über-uns 東京");

/// Agents with a group of their own, besides those named in the code.
pub static AGENTS: [Word; 16] = words(
    "Bingbot Slurp Baiduspider YandexBot AhrefsBot SemrushBot MJ12bot DotBot DuckDuckBot Applebot \
     archivebot linkchecker PetalBot BLEXBot Twitterbot samplebot",
);
