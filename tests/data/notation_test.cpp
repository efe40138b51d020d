#include "mercer/data/notation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace mercer {
namespace {

using Comma = NotationFinder::DecimalComma;
using Wanted = NotationFinder::Wanted;
using Doubt = NotationFinder::Finding::Doubt;

NotationFinder::Finding find(const std::vector<std::string>& texts, Comma comma = Comma::possible,
                             Wanted wanted = Wanted::all) {
  NotationFinder finder(wanted, comma);
  for (const std::string& text : texts) {
    finder.add(text);
  }
  return finder.find();
}

// Days counted by another calendar (Python's).
TEST(Notation, DatesAreDaysSince1970) {
  for (const char* text : {"2014-05-21", "2014/5/21", "2014.05.21", "21 May 2014", "21-May-2014", "May 21, 2014",
                           "21 may 2014", "2014-05-21T00:00:00Z", "2014-05-21 00:00"}) {
    EXPECT_EQ(parse_noted(text, Notation::date), 16211) << text;
  }
  EXPECT_EQ(parse_noted("1970-01-01", Notation::date), 0);
  EXPECT_EQ(parse_noted("2000-02-29", Notation::date), 11016);
  EXPECT_EQ(parse_noted("1899-12-31", Notation::date), -25568);
  EXPECT_EQ(parse_noted("2014-05", Notation::date), 16191);
  EXPECT_EQ(parse_noted("21/05/2014", Notation::day_first), 16211);
  EXPECT_EQ(parse_noted("21.5.2014", Notation::day_first), 16211);
  EXPECT_EQ(parse_noted("05/21/2014", Notation::month_first), 16211);
  EXPECT_EQ(parse_noted("2014-05-21T18:00:00", Notation::date), 16211.75);
  EXPECT_EQ(parse_noted("2014-05-21T20:00:00+02:00", Notation::date), 16211.75);
  EXPECT_EQ(parse_noted("2014-05-21 06:00 PM", Notation::date), 16211.75);
  for (const char* text : {"2014-02-30", "2014-13-01", "14-05-21", "2014-05-21x", "2014-5-", "2014", "20140521",
                           "2014-05/21", "21 Mayo 2014", "2014-05-21 25:00", "2014-05-21T", ""}) {
    EXPECT_FALSE(parse_noted(text, Notation::date)) << text;
  }
  EXPECT_FALSE(parse_noted("31/02/2014", Notation::day_first));
  EXPECT_FALSE(parse_noted("21/05/14", Notation::day_first));
  EXPECT_FALSE(parse_noted("05.21.2014", Notation::month_first));
}

TEST(Notation, TimesAreHours) {
  EXPECT_EQ(parse_noted("13:45", Notation::time), 13.75);
  EXPECT_EQ(parse_noted("1:45 PM", Notation::time), 13.75);
  EXPECT_EQ(parse_noted("12:15am", Notation::time), 0.25);
  EXPECT_DOUBLE_EQ(*parse_noted("00:00:30.6", Notation::time), 30.6 / 3600);
  for (const char* text : {"24:00", "7:5", "13:45 PM", "13:60", "7", "7:30 o'clock"}) {
    EXPECT_FALSE(parse_noted(text, Notation::time)) << text;
  }
}

// As pandas writes them: the clock always counts forwards.
TEST(Notation, LengthsOfTimeAreDays) {
  EXPECT_EQ(parse_noted("1 days 12:00:00", Notation::length), 1.5);
  EXPECT_EQ(parse_noted("-1 days +06:00:00", Notation::length), -0.75);
  EXPECT_EQ(parse_noted("3 days", Notation::length), 3);
  EXPECT_EQ(parse_noted("1 day", Notation::length), 1);
  EXPECT_DOUBLE_EQ(*parse_noted("0 days 00:00:01.500000", Notation::length), 1.5 / 86400);
  for (const char* text : {"1", "1.5", "days", "1 week", "1 days 12", "1 days 12:00:00x", "1 days ", "1 days12:00:00",
                           "1 days 24:00:00", "-1 days -06:00:00"}) {
    EXPECT_FALSE(parse_noted(text, Notation::length)) << text;
  }
}

TEST(Notation, TruthValuesAreOneAndZero) {
  for (const char* text : {"True", "true", "TRUE", "1", "1.0"}) {
    EXPECT_EQ(parse_noted(text, Notation::truth), 1) << text;
  }
  for (const char* text : {"False", "false", "0", "-0.0"}) {
    EXPECT_EQ(parse_noted(text, Notation::truth), 0) << text;
  }
  for (const char* text : {"yes", "t", "2", "0.5", "nan", ""}) {
    EXPECT_FALSE(parse_noted(text, Notation::truth)) << text;
  }
}

// Files may mean categories by them, and a column of 1 and 0 holds numbers.
TEST(Notation, NobodyLooksForTruthValuesAndLengths) {
  EXPECT_EQ(find({"True", "False"}).notation, Notation::plain);
  EXPECT_EQ(find({"1 days 12:00:00"}).notation, Notation::plain);
}

TEST(Notation, ThousandsStandInGroupsOfThree) {
  EXPECT_EQ(parse_noted("1,234,567.5", Notation::grouped), 1234567.5);
  EXPECT_EQ(parse_noted("-12,345", Notation::grouped), -12345);
  EXPECT_EQ(parse_noted("999", Notation::grouped), 999);
  EXPECT_EQ(parse_noted("0.5", Notation::grouped), 0.5);
  for (const char* text : {"1,23", "1234,567", "12345", "1,234,56", ",123", "0,123", "1,234,", "1.5,000", "1,2,3"}) {
    EXPECT_FALSE(parse_noted(text, Notation::grouped)) << text;
  }
}

TEST(Notation, DecimalCommas) {
  EXPECT_EQ(parse_noted("1,5", Notation::decimal_comma), 1.5);
  EXPECT_EQ(parse_noted("-0,25", Notation::decimal_comma), -0.25);
  EXPECT_EQ(parse_noted("1.234.567,5", Notation::decimal_comma), 1234567.5);
  EXPECT_EQ(parse_noted("1234", Notation::decimal_comma), 1234);
  EXPECT_EQ(parse_noted("1,5e3", Notation::decimal_comma), 1500);
  for (const char* text : {"1,5,2", "1.23,5", ",5", "5,", "1,5.2", "a"}) {
    EXPECT_FALSE(parse_noted(text, Notation::decimal_comma)) << text;
  }
}

TEST(Notation, OneNotationHoldsForAWholeColumn) {
  EXPECT_EQ(find({"1,234", "999", "1,000,000"}).notation, Notation::grouped);
  EXPECT_EQ(find({"1,234", "1234"}, Comma::impossible).notation, Notation::plain);
  EXPECT_EQ(find({"1,5", "12", "3,25"}).notation, Notation::decimal_comma);
  EXPECT_EQ(find({"1,5", "12", "3,25"}, Comma::impossible).notation, Notation::plain);
  EXPECT_EQ(find({"1,5", "1.5"}).notation, Notation::plain);
  EXPECT_EQ(find({"1.234.567", "12"}).notation, Notation::decimal_comma);
  EXPECT_EQ(find({"2014-05-21", "21 May 2014"}).notation, Notation::date);
  EXPECT_EQ(find({"2014-05-21", "soon"}).notation, Notation::plain);
  EXPECT_EQ(find({"13:45", "07:00"}).notation, Notation::time);
  EXPECT_EQ(find({"a", "b"}).notation, Notation::plain);
  EXPECT_EQ(find({}).notation, Notation::plain);
  EXPECT_EQ(find({"1,5", "3,25"}, Comma::possible, Wanted::dates).notation, Notation::plain);
  EXPECT_EQ(find({"2014-05-21"}, Comma::possible, Wanted::numbers).notation, Notation::plain);
}

TEST(Notation, WhatMayBeReadInTwoWaysIsDoubtful) {
  const auto days = find({"01/02/2014", "03/04/2014"});
  EXPECT_EQ(days.notation, Notation::plain);
  EXPECT_EQ(days.doubt, Doubt::day_or_month);
  EXPECT_EQ(find({"01/02/2014", "13/04/2014"}).notation, Notation::day_first);
  EXPECT_EQ(find({"01/02/2014", "03/14/2014"}).notation, Notation::month_first);
  EXPECT_EQ(find({"13/02/2014", "03/14/2014"}).notation, Notation::plain);
  EXPECT_EQ(find({"01.02.2014", "03.04.2014"}).notation, Notation::day_first);
  EXPECT_EQ(find({"1,234", "2,345"}).notation, Notation::grouped);
  EXPECT_EQ(find({"1,234", "2,345"}).doubt, Doubt::comma);
  EXPECT_EQ(find({"1,234", "2,345"}, Comma::likely).notation, Notation::decimal_comma);
  EXPECT_EQ(find({"1,234", "2,345"}, Comma::impossible).doubt, Doubt::none);
  EXPECT_EQ(find({"1,234", "0,345"}).notation, Notation::decimal_comma);
}

TEST(Notation, PartsOfDates) {
  EXPECT_EQ(part_of_date(16211, DatePart::weekday), 3);  // a Wednesday
  EXPECT_EQ(part_of_date(16211, DatePart::yearday), 141);
  EXPECT_EQ(part_of_date(16211.75, DatePart::hour), 18);
  EXPECT_EQ(part_of_date(16211.75, DatePart::weekday), 3);
  EXPECT_EQ(part_of_date(-25568, DatePart::yearday), 365);
  EXPECT_EQ(part_of_date(-25568, DatePart::weekday), 7);
  EXPECT_TRUE(std::isnan(part_of_date(std::nan(""), DatePart::hour)));
}

}  // namespace
}  // namespace mercer
