"""Write answers as a WARC archive, with warcio."""

from io import BytesIO

from warcio.statusandheaders import StatusAndHeaders
from warcio.utils import Digester
from warcio.warcwriter import WARCWriter


def write(path, answers, compressed):
    """Write an archive; each answer of a server has a request next to it."""
    with open(path, "wb") as out:
        writer = WARCWriter(out, gzip=compressed)
        writer.write_record(writer.create_warcinfo_record(path.name, {"software": "warcio"}))
        for answer in answers:
            if answer.is_resource:
                writer.write_record(resource(writer, answer))
                continue
            response = revisit(writer, answer) if answer.repeats else whole(writer, answer)
            request = writer.create_warc_record(
                answer.url, "request", http_headers=StatusAndHeaders("GET / HTTP/1.1", [], is_http_request=True)
            )
            writer.write_request_response_pair(request, response)


def time(answer):
    """The time of an answer in WARC format."""
    return f"2026-01-10T00:00:{answer.second:02}Z"


def head(answer):
    """The HTTP head of an answer."""
    return StatusAndHeaders(answer.status, answer.headers, protocol="HTTP/1.1")


def whole(writer, answer):
    """A record of type response."""
    fields = {"WARC-Date": time(answer)} | answer.record
    return writer.create_warc_record(
        answer.url, "response", payload=BytesIO(answer.body), http_headers=head(answer), warc_headers_dict=fields
    )


def resource(writer, answer):
    """A record of type resource."""
    fields = {"WARC-Date": time(answer)}
    return writer.create_warc_record(answer.url, "resource", payload=BytesIO(answer.body), warc_headers_dict=fields)


def revisit(writer, answer):
    """A record of type revisit."""
    original = answer.repeats
    digester = Digester("sha1")
    digester.update(original.body)
    fields = {"WARC-Date": time(answer)}
    record = writer.create_revisit_record(
        answer.url, str(digester), original.url, time(original), http_headers=head(answer), warc_headers_dict=fields
    )
    if answer.by_digest:
        record.rec_headers.remove_header("WARC-Refers-To-Target-URI")
        record.rec_headers.remove_header("WARC-Refers-To-Date")
    return record
