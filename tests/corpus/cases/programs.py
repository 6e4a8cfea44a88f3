"""Exports of other programs, with the heads that their public documentation and their users' files show."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from cases.cards import by_hand, together
from cases.text import text
from model import (
    COLUMN,
    TELEPHONE,
    Case,
    Consent,
    Contact,
    Left,
    Options,
    american,
    landline,
    mobile,
)


def export(heads: str, rows: Sequence[Mapping[str, str]], encoding: str = "utf-8") -> Callable[[], bytes]:
    """A CSV with all of a program's heads; cells by the names of their columns, the others are empty."""
    names = heads.split(",")
    for one in rows:
        assert set(one) <= set(names), set(one) - set(names)
    return text([names, *([one.get(name, "") for name in names] for one in rows)], encoding)


ADA: Contact = {
    "firstname": "Ada",
    "lastname": "Müller",
    "phone_number": mobile(101),
    "email_address": "ada@example.com",
}
ZOE: Contact = {"firstname": "Zoë", "lastname": "O'Brien", "phone_number": mobile(102)}
W = landline(101)

GOOGLE = "First Name,Middle Name,Last Name,Phonetic First Name,Phonetic Middle Name,Phonetic Last Name,Name Prefix,Name Suffix,Nickname,File As,Organization Name,Organization Title,Organization Department,Birthday,Notes,Photo,Labels,E-mail 1 - Label,E-mail 1 - Value,E-mail 2 - Label,E-mail 2 - Value,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value,Address 1 - Label,Address 1 - Formatted,Address 1 - Street,Address 1 - City,Address 1 - PO Box,Address 1 - Region,Address 1 - Postal Code,Address 1 - Country,Address 1 - Extended Address,Website 1 - Label,Website 1 - Value"
GOOGLE_OLD = "Name,Given Name,Additional Name,Family Name,Yomi Name,Given Name Yomi,Additional Name Yomi,Family Name Yomi,Name Prefix,Name Suffix,Initials,Nickname,Short Name,Maiden Name,Birthday,Gender,Location,Billing Information,Directory Server,Mileage,Occupation,Hobby,Sensitivity,Priority,Subject,Notes,Language,Photo,Group Membership,E-mail 1 - Type,E-mail 1 - Value,Phone 1 - Type,Phone 1 - Value,Phone 2 - Type,Phone 2 - Value,Address 1 - Type,Address 1 - Formatted,Address 1 - Street,Address 1 - City,Address 1 - PO Box,Address 1 - Region,Address 1 - Postal Code,Address 1 - Country,Address 1 - Extended Address,Organization 1 - Type,Organization 1 - Name,Organization 1 - Yomi Name,Organization 1 - Title"
OUTLOOK = "Title,First Name,Middle Name,Last Name,Suffix,Company,Department,Job Title,Business Street,Business Street 2,Business Street 3,Business City,Business State,Business Postal Code,Business Country/Region,Home Street,Home Street 2,Home Street 3,Home City,Home State,Home Postal Code,Home Country/Region,Other Street,Other City,Assistant's Phone,Business Fax,Business Phone,Business Phone 2,Callback,Car Phone,Company Main Phone,Home Fax,Home Phone,Home Phone 2,ISDN,Mobile Phone,Other Fax,Other Phone,Pager,Primary Phone,Radio Phone,TTY/TDD Phone,Telex,Account,Anniversary,Assistant's Name,Billing Information,Birthday,Business Address PO Box,Categories,Children,Directory Server,E-mail Address,E-mail Type,E-mail Display Name,E-mail 2 Address,Gender,Government ID Number,Hobby,Initials,Keywords,Language,Location,Notes,Priority,Private,Profession,Referred By,Sensitivity,Spouse,User 1,Web Page"
OUTLOOK_WEB = "First Name,Middle Name,Last Name,Title,Suffix,Nickname,Given Yomi,Surname Yomi,E-mail Address,E-mail 2 Address,E-mail 3 Address,Home Phone,Home Phone 2,Business Phone,Business Phone 2,Mobile Phone,Car Phone,Other Phone,Primary Phone,Pager,Business Fax,Home Fax,Other Fax,Company Main Phone,Callback,Radio Phone,Telex,TTY/TDD Phone,IMAddress,Job Title,Department,Company,Office Location,Manager's Name,Assistant's Name,Assistant's Phone,Company Yomi,Business Street,Business City,Business State,Business Postal Code,Business Country/Region,Home Street,Home City,Home State,Home Postal Code,Home Country/Region,Personal Web Page,Spouse,Schools,Hobby,Location,Web Page,Birthday,Anniversary,Notes"
HUBSPOT = "Record ID,First Name,Last Name,Email,Phone Number,Mobile Phone Number,Contact owner,Last Activity Date,Lead Status,Marketing contact status,Create Date,Associated Company,Unsubscribed from all email"
MAILCHIMP = "Email Address,First Name,Last Name,Address,Phone Number,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,LATITUDE,LONGITUDE,GMTOFF,DSTOFF,TIMEZONE,CC,REGION,LAST_CHANGED,LEID,EUID,NOTES,TAGS"
MAILCHIMP_GONE = "Email Address,First Name,Last Name,Phone Number,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,UNSUB_TIME,UNSUB_CAMPAIGN_TITLE,UNSUB_CAMPAIGN_ID,UNSUB_REASON,UNSUB_REASON_OTHER,LEID,EUID"
MAILCHIMP_CLEANED = "Email Address,First Name,Last Name,Phone Number,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CLEAN_TIME,CLEAN_CAMPAIGN_TITLE,CLEAN_CAMPAIGN_ID,LEID,EUID"
TWILIO_LOG = "From,To,Body,Status,SentDate,ApiVersion,NumSegments,ErrorCode,AccountSid,Sid,Direction,Price,PriceUnit"
SENDGRID = "EMAIL,FIRST_NAME,LAST_NAME,ADDRESS_LINE_1,ADDRESS_LINE_2,CITY,STATE_PROVINCE_REGION,POSTAL_CODE,COUNTRY,ALTERNATE_EMAILS,PHONE_NUMBER,WHATSAPP,CREATED_AT,UPDATED_AT,CONTACT_ID"
SALESFORCE = "Salutation,First Name,Last Name,Title,Account Name,Mailing Street,Mailing City,Mailing State/Province,Mailing Zip/Postal Code,Mailing Country,Phone,Mobile,Email,Do Not Call,Email Opt Out"
SHOPIFY = "First Name,Last Name,Email,Accepts Email Marketing,Company,Address1,Address2,City,Province Code,Country Code,Zip,Phone,Accepts SMS Marketing,Total Spent,Total Orders,Tags,Note,Tax Exempt"

# What an address book's person holds who has all of it.
_FULL: Contact = {**ADA, "title": "Dr.", "company_name": "Acme Ltd", "address_1": "12 High Street", "city": "York", "state": "North Yorkshire", "zip": "YO1 7AA", "country": "United Kingdom", "date_of_birth": "1990-03-14"}  # fmt: skip

ADDRESS_BOOKS = [
    Case("google-contacts.csv", export(GOOGLE, [
        {"First Name": "Ada", "Last Name": "Müller", "Name Prefix": "Dr.", "Organization Name": "Acme Ltd", "Birthday": "1990-03-14", "Labels": "* myContacts", "E-mail 1 - Label": "* Work", "E-mail 1 - Value": "ada@example.com", "Phone 1 - Label": "Work", "Phone 1 - Value": W, "Phone 2 - Label": "Mobile", "Phone 2 - Value": mobile(101), "Address 1 - Label": "Home", "Address 1 - Formatted": "12 High Street\nYork\nNorth Yorkshire\nYO1 7AA\nUnited Kingdom", "Address 1 - Street": "12 High Street", "Address 1 - City": "York", "Address 1 - Region": "North Yorkshire", "Address 1 - Postal Code": "YO1 7AA", "Address 1 - Country": "United Kingdom"},
        {"First Name": "Zoë", "Last Name": "O'Brien", "Labels": "* myContacts", "Phone 1 - Label": "Mobile", "Phone 1 - Value": mobile(102)},
    ]), [{**_FULL, "others": W}, ZOE], left=[Left(COLUMN, "Labels"), Left(COLUMN, "Formatted")]),
    Case("google-contacts-fax-first.csv", export(GOOGLE, [
        {"First Name": "Ada", "Last Name": "Müller", "E-mail 1 - Value": "ada@example.com", "Phone 1 - Label": "Home Fax", "Phone 1 - Value": W, "Phone 2 - Label": "Mobile", "Phone 2 - Value": mobile(101)},
        {"First Name": "Zoë", "Last Name": "O'Brien", "Phone 1 - Label": "Mobile", "Phone 1 - Value": mobile(102), "Phone 2 - Label": "Pager", "Phone 2 - Value": landline(103)},
    ]), [ADA, ZOE], left=[Left(TELEPHONE, "Phone 1 - Value"), Left(TELEPHONE, "Phone 2 - Value")]),
    Case("google-contacts-several-in-a-cell.csv", export(GOOGLE, [
        {"First Name": "Ada", "Last Name": "Müller", "E-mail 1 - Value": "ada@example.com", "Phone 1 - Label": "Mobile", "Phone 1 - Value": f"{mobile(101)} ::: {W}"},
    ]), [{**ADA, "others": W}]),
    Case("google-contacts-older.csv", export(GOOGLE_OLD, [
        {"Name": "Dr. Ada Müller", "Given Name": "Ada", "Family Name": "Müller", "Name Prefix": "Dr.", "Birthday": "1990-03-14", "Group Membership": "* myContacts", "E-mail 1 - Type": "* ", "E-mail 1 - Value": "ada@example.com", "Phone 1 - Type": "Work", "Phone 1 - Value": W, "Phone 2 - Type": "Mobile", "Phone 2 - Value": mobile(101), "Address 1 - Street": "12 High Street", "Address 1 - City": "York", "Address 1 - Region": "North Yorkshire", "Address 1 - Postal Code": "YO1 7AA", "Address 1 - Country": "United Kingdom", "Organization 1 - Name": "Acme Ltd"},
        {"Name": "Zoë O'Brien", "Given Name": "Zoë", "Family Name": "O'Brien", "Phone 1 - Type": "Mobile", "Phone 1 - Value": mobile(102)},
    ], "utf-16"), [{**_FULL, "others": W}, ZOE], left=[Left(COLUMN, "Group Membership")]),
    Case("outlook.csv", export(OUTLOOK, [
        {"Title": "Dr.", "First Name": "Ada", "Last Name": "Müller", "Company": "Acme Ltd", "Home Street": "12 High Street", "Home City": "York", "Home State": "North Yorkshire", "Home Postal Code": "YO1 7AA", "Home Country/Region": "United Kingdom", "Business Phone": W, "Mobile Phone": mobile(101), "Birthday": "1990-03-14", "E-mail Address": "ada@example.com", "E-mail Type": "SMTP", "E-mail Display Name": "Ada Müller", "Gender": "Unspecified", "Priority": "Normal", "Private": "False", "Sensitivity": "Normal"},
        {"First Name": "Zoë", "Last Name": "O'Brien", "Home Phone": landline(102), "Gender": "Unspecified", "Priority": "Normal", "Private": "False", "Sensitivity": "Normal"},
    ], "cp1252"), [{**_FULL, "others": W}, {**ZOE, "phone_number": landline(102)}], left=[Left(COLUMN, "E-mail Type"), Left(COLUMN, "Priority"), Left(COLUMN, "Sensitivity")]),
    Case("outlook-business-address.csv", export(OUTLOOK, [
        {"First Name": "Ada", "Last Name": "Müller", "Company": "Acme Ltd", "Business Street": "1 Mill Lane", "Business City": "Leeds", "Business Postal Code": "LS1 1AA", "Business Country/Region": "United Kingdom", "Business Phone": W, "E-mail Address": "ada@example.com"},
    ], "cp1252"), [{**ADA, "phone_number": W, "company_name": "Acme Ltd", "address_1": "1 Mill Lane", "city": "Leeds", "zip": "LS1 1AA", "country": "United Kingdom"}]),
    Case("outlook-web.csv", export(OUTLOOK_WEB, [
        {"First Name": "Ada", "Last Name": "Müller", "Title": "Dr.", "E-mail Address": "ada@example.com", "Business Phone": W, "Mobile Phone": mobile(101), "Company": "Acme Ltd", "Home Street": "12 High Street", "Home City": "York", "Home State": "North Yorkshire", "Home Postal Code": "YO1 7AA", "Home Country/Region": "United Kingdom", "Birthday": "1990-03-14"},
        {"First Name": "Zoë", "Last Name": "O'Brien", "Mobile Phone": mobile(102), "Nickname": "Zo"},
    ], "utf-8-sig"), [{**_FULL, "others": W}, ZOE], left=[Left(COLUMN, "Nickname")]),
    Case("apple-contacts.vcf", together(
        by_hand("PRODID:-//Apple Inc.//macOS 14.5//EN", "N:Müller;Ada;;Dr.;", "FN:Dr. Ada Müller", "ORG:Acme Ltd;", "EMAIL;type=INTERNET;type=HOME;type=pref:ada@example.com", f"TEL;type=WORK;type=VOICE;type=pref:{W}", f"TEL;type=CELL;type=VOICE:{mobile(101)}", "item1.ADR;type=HOME;type=pref:;;12 High Street;York;North Yorkshire;YO1 7AA;United Kingdom", "item1.X-ABADR:gb", "BDAY:1990-03-14", "UID:6f9619ff-8b86-d011-b42d-00cf4fc964ff:ABPerson"),
        by_hand("PRODID:-//Apple Inc.//macOS 14.5//EN", "N:O'Brien;Zoë;;;", "FN:Zoë O'Brien", f"item1.TEL:{mobile(102)}", "item1.X-ABLabel:Boat"),
    ), [{**_FULL, "others": W}, ZOE]),
    Case("apple-contacts-company.vcf", by_hand("PRODID:-//Apple Inc.//iPhone OS 17.5//EN", "N:;;;;", "FN:Acme Ltd", "ORG:Acme Ltd;", "X-ABShowAs:COMPANY", f"TEL;type=MAIN;type=pref:{W}"), [{"company_name": "Acme Ltd", "phone_number": W, "maybe": "firstname lastname"}]),
    Case("google-contacts.vcf", together(
        by_hand("FN:Dr. Ada Müller", "N:Müller;Ada;;Dr.;", "EMAIL;TYPE=INTERNET;TYPE=WORK:ada@example.com", f"TEL;TYPE=WORK:{W}", f"TEL;TYPE=CELL:{mobile(101)}", "ADR;TYPE=HOME:;;12 High Street;York;North Yorkshire;YO1 7AA;United Kingdom", "ORG:Acme Ltd", "BDAY:19900314", "CATEGORIES:myContacts"),
        by_hand("FN:Zoë O'Brien", "N:O'Brien;Zoë;;;", f"item1.TEL:{mobile(102)}", "item1.X-ABLabel:Boat", "CATEGORIES:myContacts,Friends"),
    ), [{**_FULL, "others": W}, ZOE], left=[Left(COLUMN, "Groups")]),
    Case("outlook-contact.vcf", by_hand("X-MS-OL-DEFAULT-POSTAL-ADDRESS:1", "N;LANGUAGE=en-gb;CHARSET=utf-8:Müller;Ada;;Dr.", "FN;CHARSET=utf-8:Dr. Ada Müller", "ORG:Acme Ltd", f"TEL;WORK;VOICE:{W}", f"TEL;CELL;VOICE:{mobile(101)}", "ADR;HOME;PREF:;;12 High Street;York;North Yorkshire;YO1 7AA;United Kingdom", "LABEL;HOME;PREF;ENCODING=QUOTED-PRINTABLE:12 High Street=0D=0A=", "York=0D=0A=", "YO1 7AA", "X-MS-OL-DESIGN;CHARSET=utf-8:<card xmlns=\"http://schemas.microsoft.com/office/outlook/12/electronicbusinesscards\" ver=\"1.0\"></card>", "BDAY:19900314", "EMAIL;PREF;INTERNET:ada@example.com", "REV:20260105T090000Z", version="2.1"), [{**_FULL, "others": W}], left=[Left(COLUMN, "LABEL")]),
    Case("whatsapp-contact.vcf", by_hand("N:;Ada Müller;;;", "FN:Ada Müller", f"item1.TEL;waid={mobile(101)[1:]}:+44 7700 900101", "item1.X-ABLabel:Mobile"), [{"name": "Ada Müller", "phone_number": mobile(101), "maybe": "whatsapp_id"}]),
    Case("whatsapp-business.vcf", by_hand("N:;Acme;;;", "FN:Acme", f"TEL;type=CELL;type=VOICE;waid={mobile(101)[1:]}:{mobile(101)}", "X-WA-BIZ-NAME:Acme", "X-WA-BIZ-DESCRIPTION:Cards and letters"), [{"name": "Acme", "phone_number": mobile(101), "maybe": "whatsapp_id company_name"}], left=[Left(COLUMN, "X-WA-BIZ-DESCRIPTION")]),
    Case("whatsapp-account-contacts.json", lambda: json.dumps({"wa_contacts": [mobile(101), mobile(102)]}).encode(), [{"phone_number": mobile(101)}, {"phone_number": mobile(102)}], may_refuse=True),
]  # fmt: skip

_HUBSPOT_PEOPLE = [
    {"Record ID": "501", "First Name": "Ada", "Last Name": "Müller", "Email": "ada@example.com", "Phone Number": W, "Mobile Phone Number": mobile(101), "Lead Status": "Open", "Marketing contact status": "Marketing contact", "Create Date": "2026-01-05 09:00", "Associated Company": "Acme Ltd", "Unsubscribed from all email": "No"},
    {"Record ID": "502", "First Name": "Zoë", "Last Name": "O'Brien", "Phone Number": mobile(102), "Marketing contact status": "Non-marketing contact", "Create Date": "2026-01-05 09:00", "Unsubscribed from all email": "Yes"},
]  # fmt: skip
_MAILCHIMP_ADA = {"Email Address": "ada@example.com", "First Name": "Ada", "Last Name": "Müller", "Phone Number": mobile(101), "MEMBER_RATING": "4", "OPTIN_TIME": "2026-01-05 09:00:00", "LEID": "9", "EUID": "810826c56e"}  # fmt: skip

SERVICES = [
    Case("hubspot.csv", export(HUBSPOT, _HUBSPOT_PEOPLE), [{**ADA, "others": W, "company_name": "Acme Ltd"}, ZOE], frozenset([mobile(102)]), left=[Left(COLUMN, "Record ID"), Left(COLUMN, "Create Date"), Left(COLUMN, "Marketing contact status"), Left(COLUMN, "Unsubscribed from all email")], options=Options(consent=Consent("Unsubscribed from all email", ("Yes",)), ignore=("Marketing contact status",))),
    Case("mailchimp-subscribed.csv", export(MAILCHIMP, [{**_MAILCHIMP_ADA, "TAGS": '"VIP"'}]), [ADA], left=[Left(COLUMN, "MEMBER_RATING"), Left(COLUMN, "OPTIN_TIME"), Left(COLUMN, "TAGS")]),
    Case("mailchimp-gone.csv", export(MAILCHIMP_GONE, [{**_MAILCHIMP_ADA, "UNSUB_TIME": "2026-01-07 10:00:00", "UNSUB_REASON": "NORMAL"}]), [ADA], frozenset([mobile(101)]), left=[Left(COLUMN, "UNSUB_TIME"), Left(COLUMN, "UNSUB_REASON")], options=Options(consent=Consent("UNSUB_REASON", ("NORMAL",)), ignore=("UNSUB_TIME", "UNSUB_CAMPAIGN_TITLE", "UNSUB_CAMPAIGN_ID", "UNSUB_REASON_OTHER"))),
    Case("mailchimp-cleaned.csv", export(MAILCHIMP_CLEANED, [{**_MAILCHIMP_ADA, "CLEAN_TIME": "2026-01-07 10:00:00"}]), [ADA], left=[Left(COLUMN, "CLEAN_TIME")], options=Options(ignore=("CLEAN_TIME",))),
    Case("mailchimp-tags.csv", text([["EMAIL", "FNAME", "LNAME", "SMSPHONE"], ["ada@example.com", "Ada", "Müller", mobile(101)]]), [ADA]),
    Case("twilio-message-log.csv", export(TWILIO_LOG, [{"From": american(101), "To": mobile(101), "Body": "Hello", "Status": "delivered", "SentDate": "2026-01-05T09:00:00Z", "ApiVersion": "2010-04-01", "NumSegments": "1", "Direction": "outbound-api", "Price": "-0.0075", "PriceUnit": "USD"}, {"From": mobile(102), "To": american(101), "Body": "STOP", "Status": "received", "SentDate": "2026-01-05T09:01:00Z", "Direction": "inbound"}]), options=Options(mapped=("To=phone",), ignore=("Status", "Body")), left=[Left(TELEPHONE, "From"), Left(COLUMN, "Body")], contacts=[{"phone_number": mobile(101)}, {"phone_number": american(101)}], console=False),
    Case("twilio-consents.json", lambda: json.dumps([{"contact_id": mobile(at), "correlation_id": f"{at:032x}", "sender_id": f"MG{at:032x}", "status": status, "source": "website", "date_of_consent": "2026-01-05T09:00:00Z"} for at, status in ((101, "opt-in"), (102, "opt-out"))]).encode(), [{"phone_number": mobile(101)}, {"phone_number": mobile(102)}], frozenset([mobile(102)]), left=[Left(COLUMN, "sender_id"), Left(COLUMN, "status")], options=Options(consent=Consent("status", ("opt-out",)), ignore=("date_of_consent",))),
    Case("twilio-sendgrid.csv", export(SENDGRID, [{"EMAIL": "ada@example.com", "FIRST_NAME": "Ada", "LAST_NAME": "Müller", "ADDRESS_LINE_1": "12 High Street", "ADDRESS_LINE_2": "Flat 3", "CITY": "York", "STATE_PROVINCE_REGION": "North Yorkshire", "POSTAL_CODE": "YO1 7AA", "COUNTRY": "United Kingdom", "PHONE_NUMBER": mobile(101), "WHATSAPP": mobile(101), "CREATED_AT": "2026-01-05T09:00:00Z", "UPDATED_AT": "2026-01-05T09:00:00Z", "CONTACT_ID": "a1"}]), [{**ADA, "whatsapp_id": mobile(101), "address_1": "12 High Street", "address_2": "Flat 3", "city": "York", "state": "North Yorkshire", "zip": "YO1 7AA", "country": "United Kingdom"}], left=[Left(COLUMN, "CREATED_AT"), Left(COLUMN, "CONTACT_ID")]),
    Case("salesforce.csv", export(SALESFORCE, [{"Salutation": "Dr.", "First Name": "Ada", "Last Name": "Müller", "Title": "Director", "Account Name": "Acme Ltd", "Mailing Street": "12 High Street", "Mailing City": "York", "Mailing Zip/Postal Code": "YO1 7AA", "Phone": W, "Mobile": mobile(101), "Email": "ada@example.com", "Do Not Call": "1", "Email Opt Out": "0"}], "cp1252"), [{**ADA, "title": "Dr.|Director", "company_name": "Acme Ltd", "address_1": "12 High Street", "city": "York", "zip": "YO1 7AA", "others": W}], frozenset([mobile(101), W]), left=[Left(COLUMN, "Do Not Call"), Left(COLUMN, "Email Opt Out")], options=Options(consent=Consent("Do Not Call", ("1",)), ignore=("Email Opt Out",))),
    Case("shopify-customers.csv", export(SHOPIFY, [{"First Name": "Ada", "Last Name": "Müller", "Email": "ada@example.com", "Accepts Email Marketing": "yes", "City": "York", "Zip": "YO1 7AA", "Phone": f"'{mobile(101)}", "Accepts SMS Marketing": "no", "Total Spent": "12.50", "Total Orders": "1", "Tax Exempt": "no"}]), [{**ADA, "city": "York", "zip": "YO1 7AA"}], frozenset([mobile(101)]), left=[Left(COLUMN, "Accepts SMS Marketing"), Left(COLUMN, "Accepts Email Marketing"), Left(COLUMN, "Total Spent")], options=Options(consent=Consent("Accepts SMS Marketing", ("no",)), ignore=("Accepts Email Marketing",))),
]  # fmt: skip

CASES = [*ADDRESS_BOOKS, *SERVICES]
